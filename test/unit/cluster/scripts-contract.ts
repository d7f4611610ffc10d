/** What the scripts must do, in Redis and in the memory of a model. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AccountScripts, Refusal } from '../../../src/cluster/account-scripts.ts';

const account = 'production';

type Call =
  | { readonly call: 'begin'; readonly member: string; readonly dueMs: number }
  | { readonly call: 'extend'; readonly cycle: number; readonly dueMs: number }
  | { readonly call: 'end'; readonly cycle: number; readonly dueMs: number }
  | {
      readonly call: 'replace';
      readonly cycle: number;
      readonly key: string;
      readonly text: string;
    }
  | { readonly call: 'repeat' | 'stale'; readonly key: string; readonly text: string };

const oneOf = <const T>(...values: readonly [T, ...T[]]) => fc.constantFrom(...values);
/** 0 is the last cycle that began. */
const cycle = fc.nat(2);
const calls: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.oneof(
    fc.record({
      call: fc.constant('begin' as const),
      member: oneOf('a', 'b'),
      dueMs: oneOf(0, 1_000, 2_000),
    }),
    fc.record({ call: oneOf('extend', 'end'), cycle, dueMs: oneOf(0, 1_000, 3_000) }),
    fc.record({
      call: fc.constant('replace' as const),
      cycle,
      key: oneOf('x', 'y'),
      text: oneOf('1', '2'),
    }),
    fc.record({ call: oneOf('repeat', 'stale'), key: oneOf('x', 'y'), text: oneOf('1', '2') }),
  ),
  { maxLength: 24 },
);

/** Makes the calls. Epochs, revisions and times are replaced by what they mean, so that two runs can be compared. */
async function traceOf(scripts: AccountScripts, all: readonly Call[]): Promise<unknown[]> {
  const epochs: number[] = [];
  const revisions = new Map<string, number>();
  const trace: unknown[] = [];
  const epochOf = (back: number) => epochs.at(-1 - back) ?? -1;
  const replace = async (epoch: number, key: string, revision: number, text: string) => {
    const known = revisions.get(key) ?? 0;
    const result: number | Refusal = await scripts.replace(account, { epoch, key, revision, text });
    if (typeof result === 'number') revisions.set(key, result);
    return typeof result === 'number' ? Math.sign(result - known) : result;
  };
  for (const each of all) {
    if (each.call === 'begin') {
      const { member, dueMs } = each;
      const begun = await scripts.begin(account, { member, dueMs, newId: 'id' });
      if (begun === null) trace.push(null);
      else {
        const { epoch, formerEpoch, idleMs, ...rest } = begun;
        trace.push({
          ...rest,
          former: epochs.indexOf(formerEpoch),
          isHigher: epoch > epochOf(0),
          hasIdled: idleMs > 0 || !rest.isTakenOver,
        });
        epochs.push(epoch);
      }
    } else if (each.call === 'extend')
      await scripts.extend(account, epochOf(each.cycle), each.dueMs);
    else if (each.call === 'end') await scripts.end(account, epochOf(each.cycle), each.dueMs > 0);
    else if (each.call === 'replace') {
      const known = revisions.get(each.key) ?? 0;
      trace.push(await replace(epochOf(each.cycle), each.key, known, each.text));
    } else {
      const behind = each.call === 'repeat' ? 1 : 2;
      const known = revisions.get(each.key) ?? 0;
      trace.push(await replace(epochOf(0), each.key, Math.max(0, known - behind), each.text));
    }
    const states = await scripts.changed(new Map([[account, { id: '', revision: 0 }]]));
    const state = states.get(account);
    if (state === undefined) throw new Error('no state');
    const { begunAtMs, changed, revision, ...rest } = state;
    const newest = Math.max(0, ...changed.map((record) => record.revision));
    const texts = changed.map(({ key, text }) => [key, text]);
    trace.push({ ...rest, texts, isNewest: newest === revision, hasBegun: begunAtMs > 0 });
    const since = new Map([[account, { id: state.id, revision: revision - 1 }]]);
    const later = new Map([[account, { id: state.id, revision: revision + 1 }]]);
    const known = new Map([[account, { id: state.id, revision }]]);
    for (const ask of [since, later, known]) {
      const answer = (await scripts.changed(ask)).get(account);
      trace.push(answer?.changed.map(({ key }) => key));
    }
  }
  return trace;
}

/** The two must answer any calls alike. */
export function describeSameScripts(
  name: string,
  open: () => { readonly redis: AccountScripts; readonly memory: AccountScripts },
): void {
  describe(name, () => {
    it('answers any calls like the scripts in Redis', async () => {
      await fc.assert(
        fc.asyncProperty(calls, async (all) => {
          const { redis, memory } = open();
          expect(await traceOf(memory, all)).toEqual(await traceOf(redis, all));
        }),
        { numRuns: 200 },
      );
    });
  });
}
