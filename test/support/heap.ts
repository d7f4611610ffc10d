/** The memory of this process. */
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
