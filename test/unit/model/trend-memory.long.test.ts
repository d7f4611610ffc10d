import { expect, test } from 'vitest';
import { heapBytes } from '../../helpers/heap.ts';
import { quota, quotas, quotaTarget } from '../../helpers/fake-monitor.ts';
import { advance, newRecord } from '../../helpers/advance.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { usualStepMs, windowSteps, withTrend } from '../../../src/model/trend.ts';
import { formatUse } from '../../../src/model/use-text.ts';

const targets = 10_000;
const quotasPerTarget = 10;
const stepMs = usualStepMs;
const lastStep = 2_000_000;

/** Polled records without a trend. */
function records(useAt: (step: number) => number) {
  return Array.from({ length: targets }, (_, i) => {
    const target = quotaTarget('production', `ap-region-${i}`);
    const rows = Array.from({ length: quotasPerTarget }, (_row, n) =>
      quota({ used: useAt(i + n), limit: 100_000, zone: `ap-region-${i}-${n}` }),
    );
    const outcome = {
      ok: true as const,
      snapshot: quotas(...rows),
      anomalies: [],
      durationMs: 1,
    };
    return advance(newRecord(target), outcome, lastStep * stepMs).record;
  });
}

/** The record after a poll, one step after a whole day of points. */
function withDay(record: ReturnType<typeof records>[number], useAt: (step: number) => number) {
  const { quotas: quotasOf } = collectors.of(record.target);
  const trend = {
    stepMs,
    lastStep: lastStep - 1,
    quotas: quotasOf(record).map(({ type, zone }, n) => ({
      type,
      zone,
      use: formatUse(Array.from({ length: windowSteps }, (_, step) => useAt(step * 7 + n))),
    })),
  };
  return withTrend({ ...record, trend }, quotasOf, stepMs);
}

test.each([
  ['that jumps at every step', 400, (step: number) => (step % 2) * 40_000 + step],
  ['that changes at every step', 400, (step: number) => 500 + ((step * 7_919) % 400)],
  ['that stays', 150, () => 96],
])('a use %s needs at most %i bytes of memory a quota', (_, most, useAt) => {
  const all = records(useAt);
  const before = heapBytes();

  const trended = all.map((record) => withDay(record, useAt));

  const bytes = (heapBytes() - before) / (targets * quotasPerTarget);
  expect(trended[0]?.trend.quotas).toHaveLength(quotasPerTarget);
  expect(all).toHaveLength(targets);
  expect(bytes).toBeLessThanOrEqual(most);
});
