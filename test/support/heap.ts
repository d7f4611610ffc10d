/** The memory of a process, and whether it grows. */
import { json } from 'node:stream/consumers';
import { getHeapSnapshot, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The reachable memory, in bytes. */
export function heapBytes(): number {
  // The second collection frees objects that only finalizers and weak references kept.
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

/** Compiled code and its data. V8 goes on to optimize functions for many minutes. */
const compiled = new Set(['code', 'hidden', 'object shape']);

/** The memory of reachable objects without compiled code, in bytes. Takes a few seconds. */
export async function dataBytes(): Promise<number> {
  const { nodes, snapshot } = (await json(getHeapSnapshot())) as HeapSnapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [typeAt, sizeAt] = [fields.indexOf('type'), fields.indexOf('self_size')];
  let bytes = 0;
  for (let node = 0; node < nodes.length; node += fields.length) {
    const type = types[0][nodes[node + typeAt]!]!;
    if (!compiled.has(type)) bytes += nodes[node + sizeAt]!;
  }
  return bytes;
}

/** One point of a measurement. */
export interface HeapSample {
  readonly cycles: number;
  readonly bytes: number;
}

/** The line through the samples, by least squares. */
export interface Growth {
  readonly bytesPerCycle: number;
  /** The standard error of the slope. */
  readonly error: number;
}

/** The growth of the heap. Collections are not exact, so the result has an error. */
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
