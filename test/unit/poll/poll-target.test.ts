import { expect, it } from 'vitest';
import { withFewDetails } from '../../../src/poll/poll-target.ts';
import { templateTarget } from '../../support/fake-monitor.ts';
import { advance, newRecord, templateSnapshot } from '../../support/records.ts';

it('an answer with thousands of anomalies makes the same record with few of their details', () => {
  const anomalies = Array.from({ length: 3_000 }, (_, i) => {
    return { kind: 'invalid-row' as const, detail: `row ${i}`, isHarmless: i % 3 > 0 };
  });
  const answer = { snapshot: templateSnapshot({ versions: [1], defaultVersion: null }), anomalies };
  const recordAfter = (given: typeof answer | ReturnType<typeof withFewDetails>) =>
    advance(newRecord(templateTarget()), { ok: true, durationMs: 20, ...given }, 1).record;

  const few = withFewDetails(answer);

  expect(few.anomalies.filter(({ detail }) => detail !== '')).toHaveLength(20);
  expect(recordAfter(few)).toEqual(recordAfter(answer));
  expect(recordAfter(few).observed.snapshot?.missing).toHaveLength(21);
});
