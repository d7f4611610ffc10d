/** What a process holds on to, and whether that grows. */
import { json } from 'node:stream/consumers';
import { getHeapSnapshot, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What is reachable, in bytes. */
export function heapBytes(): number {
  // What only finalizers and weak references kept goes with the second one.
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[], ...unknown[]];
    };
  };
  /** The fields of one object after the other. */
  readonly nodes: readonly number[];
}

/** What V8 makes of the program itself. It optimizes functions for many minutes. */
const ofTheProgram = new Set(['code', 'hidden', 'object shape']);

/** What is reachable, in bytes, without what V8 makes of the program itself. Takes seconds. */
export async function dataBytes(): Promise<number> {
  const { nodes, snapshot } = (await json(getHeapSnapshot())) as HeapSnapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [typeAt, sizeAt] = [fields.indexOf('type'), fields.indexOf('self_size')];
  let bytes = 0;
  for (let node = 0; node < nodes.length; node += fields.length) {
    const type = types[0][nodes[node + typeAt]!]!;
    if (!ofTheProgram.has(type)) bytes += nodes[node + sizeAt]!;
  }
  return bytes;
}

/** One point of a measurement. */
export interface HeapSample {
  readonly cycles: number;
  readonly bytes: number;
}

/** The line through samples, by least squares. */
export interface Growth {
  readonly bytesPerCycle: number;
  /** The standard error of that. */
  readonly error: number;
}

/** How fast the heap grows, and how far that may be off because collections are not exact. */
export function growthOf(samples: readonly HeapSample[]): Growth {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const sum = (values: readonly number[]) => values.length * mean(values);
  const meanCycles = mean(samples.map(({ cycles }) => cycles));
  const meanBytes = mean(samples.map(({ bytes }) => bytes));
  const spread = sum(samples.map(({ cycles }) => (cycles - meanCycles) ** 2));
  const bytesPerCycle =
    sum(samples.map(({ cycles, bytes }) => (cycles - meanCycles) * (bytes - meanBytes))) / spread;
  const residuals = samples.map(
    ({ cycles, bytes }) => bytes - meanBytes - bytesPerCycle * (cycles - meanCycles),
  );
  const variance = sum(residuals.map((residual) => residual ** 2)) / (samples.length - 2);
  return { bytesPerCycle, error: Math.sqrt(variance / spread) };
}
