/** What is read of answers, whole and broken ones. */
import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { PolledTarget } from '../../support/polled-target.ts';
import { fixtureOf } from '../../support/rows.ts';

interface Case {
  readonly what: string;
  readonly target?: object;
  readonly rows?: unknown;
  readonly total?: number | null;
  readonly answer?: object;
  readonly code?: string;
  readonly missing?: readonly string[];
  readonly snapshot?: object;
  readonly launch?: object;
  readonly quotas?: readonly object[];
  readonly metrics?: readonly (number | null)[];
  readonly anomalies?: number;
}
interface Group {
  readonly operation: string;
  readonly target: object;
  readonly set: string;
  readonly row: object;
  /** The names of those in `metrics` of its cases. */
  readonly metrics?: readonly string[];
  readonly cases: readonly Case[];
}
const groups = fixtureOf<readonly Group[]>('collectors/answers');

const isFilled = (row: unknown): row is object =>
  typeof row === 'object' && row !== null && Object.keys(row).length > 0;

/** The answer with these rows. A set in a set is named by its path. */
function answerOf({ row, set }: Group, { rows, total }: Case): object {
  const all = Array.isArray(rows)
    ? rows.map((each: unknown) => (isFilled(each) ? { ...row, ...each } : each))
    : rows;
  const count = Array.isArray(rows) ? rows.length : null;
  const [name = '', ...around] = set.split('.').toReversed();
  const own: object = { [name]: all, TotalCount: total === undefined ? count : total };
  return around.reduce((inner, key) => ({ [key]: inner }), own);
}

it.each(
  groups.flatMap((group) =>
    group.cases.map((each) => [group.operation, each.what, each, group] as const),
  ),
)('an answer of %s may have %s', async (operation, _what, given, group) => {
  const place = { account: 'production', region: 'ap-guangzhou', operation };
  const polled = new PolledTarget({ ...place, ...group.target, ...given.target });
  const collector = collectors.of(polled.record.target);

  const { code, missing } = await polled.poll(given.answer ?? answerOf(group, given));

  const { record } = polled;
  expect(code).toBe(given.code ?? null);
  if (code !== null) return;
  if (given.missing !== undefined) {
    expect(missing).toEqual(given.missing.map((text) => expect.stringContaining(text)));
  }
  expect(record.observed.snapshot).toMatchObject(given.snapshot ?? {});
  expect(collector.launchFacts(record).launches?.[0] ?? {}).toMatchObject(given.launch ?? {});
  expect(collector.quotas(record)).toMatchObject(given.quotas ?? collector.quotas(record));
  const values = new Map(
    Object.entries(polled.metrics()).map(([name, value]) => [name.split(' ')[0], value]),
  );
  if (given.metrics !== undefined) {
    expect(group.metrics!.map((name) => values.get(name) ?? null)).toEqual(given.metrics);
  }
  const anomalies = record.observed.freshness.anomalies['invalid-row'] ?? 0;
  expect(anomalies).toBe(given.anomalies ?? anomalies);
});
