import fc from 'fast-check';
import { assert, expect, it } from 'vitest';
import type { LaunchTemplateSnapshot } from '../../../src/collectors/launch-template/answer.ts';
import { isTemplateRecord } from '../../../src/collectors/launch-template/launch-template.ts';
import type { QuotaSnapshot } from '../../../src/collectors/quota/answer.ts';
import { isQuotaRecord } from '../../../src/collectors/quota/quota.ts';
import type { Change } from '../../../src/model/change.ts';
import type { PollOutcome, Snapshot } from '../../../src/model/poll-outcome.ts';
import { quotaKey } from '../../../src/model/quota.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import { arbitraryOutcome, arbitraryTarget } from '../../support/arbitraries.ts';
import { runsOfTier } from '../../support/fuzz.ts';
import { advance, newRecord } from '../../support/records.ts';

/** A target's new record and outcomes of its polls. */
const history = arbitraryTarget
  .map((target) => newRecord(target))
  .chain((record) =>
    fc.tuple(fc.constant(record), fc.array(arbitraryOutcome(record.target), { maxLength: 30 })),
  );

/** Every record from the new one on, and every change on the way. */
function run(fresh: TargetRecord, outcomes: readonly PollOutcome[]) {
  const records = [fresh];
  const changes: Change[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const next = advance(records.at(-1)!, outcome, index);
    records.push(next.record);
    changes.push(...next.changes);
  }
  return { records, last: records.at(-1)!, changes };
}

const snapshotsOf = <S extends Snapshot>(outcomes: readonly PollOutcome[]) =>
  outcomes.flatMap((outcome) => (outcome.ok ? [outcome.snapshot as S] : []));

/** Each value with the one before it. */
const steps = <T>(values: readonly T[]): [T, T][] =>
  values.slice(1).map((value, index) => [values[index]!, value]);

const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

const countOf = (changes: readonly Change[], kind: string) =>
  changes.filter((change) => change.kind === kind).length;

it('for any sequence of outcomes, advance counts the changes of the default version that a replay of its answers counts', () => {
  fc.assert(
    fc.property(history, ([fresh, outcomes]) => {
      fc.pre(isTemplateRecord(fresh));

      const { last, changes } = run(fresh, outcomes);

      const answers = snapshotsOf<LaunchTemplateSnapshot>(outcomes);
      const defaults = answers.flatMap(({ defaultVersion }) => defaultVersion?.version ?? []);
      const moved = steps(defaults).filter(([before, after]) => before !== after).length;
      expect(last.durable).toMatchObject({
        lastDefaultVersion: defaults.at(-1) ?? null,
        defaultVersionChanges: moved,
      });
      expect(countOf(changes, 'default-version-changed')).toBe(moved);
    }),
    { numRuns: runsOfTier(500) },
  );
});

it('for any sequence of outcomes, advance counts the changes of every limit that a replay of its values counts', () => {
  fc.assert(
    fc.property(history, ([fresh, outcomes]) => {
      fc.pre(isQuotaRecord(fresh));

      const { last, changes } = run(fresh, outcomes);

      const quotas = snapshotsOf<QuotaSnapshot>(outcomes).flatMap((answer) => answer.quotas);
      const keys = [...new Set(quotas.map(quotaKey))];
      const limits = keys.map((key) => {
        const rows = quotas.filter((row) => quotaKey(row) === key);
        const moves = steps(rows.map((row) => row.limit));
        const raised = moves.filter(([before, after]) => after > before).length;
        const lowered = moves.filter(([before, after]) => after < before).length;
        return [key, { limit: rows.at(-1)!.limit, raised, lowered }] as const;
      });
      assert(isQuotaRecord(last));
      const durable = last.durable.histories.map((each) => {
        const { limit, raised, lowered } = each;
        return [quotaKey(each), { limit, raised, lowered }] as const;
      });
      expect(new Map(durable)).toEqual(new Map(limits));
      expect(countOf(changes, 'quota-limit-raised')).toBe(
        total(limits.map(([, { raised }]) => raised)),
      );
      expect(countOf(changes, 'quota-limit-lowered')).toBe(
        total(limits.map(([, { lowered }]) => lowered)),
      );
    }),
    { numRuns: runsOfTier(500) },
  );
});

it('for any sequence of outcomes, advance never lets a counter fall or vanish', () => {
  fc.assert(
    fc.property(history, ([fresh, outcomes]) => {
      const counters = run(fresh, outcomes).records.map((record) => {
        const { polls, failures, anomalies } = record.observed.freshness;
        const quotas = isQuotaRecord(record) ? record.durable.histories : [];
        const named: [string, number][] = quotas.flatMap((quota) => [
          [`raised ${quotaKey(quota)}`, quota.raised],
          [`lowered ${quotaKey(quota)}`, quota.lowered],
          [`disappeared ${quotaKey(quota)}`, quota.disappeared],
        ]);
        const { defaultVersionChanges, created, deleted, replaced } = isTemplateRecord(record)
          ? record.durable
          : { defaultVersionChanges: 0, created: 0, deleted: 0, replaced: 0 };
        const versions = { defaultVersionChanges, created, deleted, replaced };
        const common = { polls, ...failures, ...anomalies };
        return new Map([...Object.entries({ ...common, ...versions }), ...named]);
      });

      for (const [before, after] of steps(counters)) {
        for (const [name, count] of before) {
          expect(after.get(name), name).toBeGreaterThanOrEqual(count);
        }
      }
    }),
  );
});
