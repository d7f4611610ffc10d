import fc from 'fast-check';
import { expect, it } from 'vitest';
import { collectors } from '../../../../src/collectors/collectors.ts';
import { recordFamilies } from '../../../../src/expose/metrics/families.ts';
import { SampleBlocks } from '../../../../src/expose/metrics/sample-blocks.ts';
import type { PollOutcome } from '../../../../src/model/poll-outcome.ts';
import { PublishedRecords } from '../../../../src/model/published-records.ts';
import { targetKey } from '../../../../src/model/target.ts';
import { advance, newRecord } from '../../../helpers/advance.ts';
import { quotaTarget } from '../../../helpers/fake-monitor.ts';
import { quotaSnapshot } from '../../../helpers/snapshots.ts';
import { defaultThresholds } from '../../../helpers/thresholds.ts';

const targets = [quotaTarget('a', 'ap-guangzhou'), quotaTarget('b', 'ap-beijing')];
const settings = { staleAfterMs: 60_000, thresholds: defaultThresholds, accounts: [] };

const { selection } = quotaTarget('a', 'ap-guangzhou');
const snapshot = fc.constantFrom(
  quotaSnapshot({ selection, quotas: [] }),
  quotaSnapshot({ selection, quotas: [], missing: ['zone ap-guangzhou-3'] }),
);
const anomalies = fc.constantFrom([], [{ kind: 'invalid-row' as const, detail: '' }]);
const durationMs = fc.integer({ min: 0, max: 3 });
const outcome: fc.Arbitrary<PollOutcome> = fc.oneof(
  fc.record({ ok: fc.constant(true as const), snapshot, anomalies, durationMs }),
  fc.record({
    ok: fc.constant(false as const),
    code: fc.constantFrom('Timeout', 'InternalError'),
    message: fc.constant(''),
    requestId: fc.constant(null),
    durationMs,
  }),
);
const step = fc.record({
  target: fc.constantFrom(...targets),
  outcome: fc.option(outcome),
  /** The clock may be set back, and forward again. */
  waitMs: fc.constantFrom(0, 1_000, 60_000, -120_000, 120_000),
  isScraped: fc.boolean(),
});

it('gives the same samples as one that renders all of them, whatever polls and clocks change', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      let nowMs = 1_700_000_000_000;
      const published = new PublishedRecords();
      published.replaceAll(targets.map(newRecord));
      const newBlocks = () =>
        new SampleBlocks(recordFamilies(collectors), published, () => settings, {
          now: () => nowMs,
        });
      const textsOf = async (blocks: SampleBlocks) => {
        const { families } = await blocks.update();
        return families.map(({ family, parts }) => [
          family.name,
          parts.flatMap((part) => part.texts),
        ]);
      };
      const blocks = newBlocks();

      for (const { target, outcome: ended, waitMs, isScraped } of steps) {
        nowMs += waitMs;
        const before = published.get(targetKey(target)) ?? newRecord(target);
        if (ended !== null) published.publish(advance(before, ended, nowMs).record);
        if (isScraped) expect(await textsOf(blocks)).toEqual(await textsOf(newBlocks()));
      }
      expect(await textsOf(blocks)).toEqual(await textsOf(newBlocks()));
    }),
  );
});
