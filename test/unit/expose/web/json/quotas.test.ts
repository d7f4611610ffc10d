import { beforeEach, describe, expect, test } from 'vitest';
import {
  FakeMonitor,
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../../../../helpers/fake-monitor.ts';
import { largeFleet } from '../../../../helpers/fleet.ts';

const guangzhou = quotaTarget('production', 'ap-guangzhou');
const tokyo = quotaTarget('staging', 'ap-tokyo');
const web = templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq');
const minute = 60_000;

interface QuotasAnswer {
  quotas: { id: string; zone: string | null; quota_type: string; [key: string]: unknown }[];
  total: number;
  next_cursor: string | null;
}

let monitor: FakeMonitor;

async function answer(query = ''): Promise<QuotasAnswer> {
  const { status, body } = await monitor.json(`/api/v1/quotas${query}`);
  expect(status).toBe(200);
  return body as QuotasAnswer;
}
const namesOf = ({ quotas: rows }: QuotasAnswer) =>
  rows.map(({ quota_type: type, zone }) => `${type} ${zone ?? '-'}`);

beforeEach(() => {
  monitor = new FakeMonitor(guangzhou, web, tokyo);
  monitor.nowMs = Date.UTC(2026, 1, 3, 14, 2, 0);
  monitor.poll(tokyo, quotas(quota({ used: 118, limit: 150, zone: 'ap-tokyo-1' })));
  monitor.poll(web, versions([1, 2], 2));
  for (const used of [260, 264, 268]) {
    monitor.poll(
      guangzhou,
      quotas(
        quota({ used, limit: 288 }),
        quota({ type: 'spotpaid', used: 10, limit: 199 }),
        quota({ type: 'image', used: 12, limit: 10, zone: null }),
      ),
    );
    monitor.nowMs += 15 * minute;
  }
  monitor.nowMs -= 14 * minute;
});

test('a quota comes with its numbers, its severity and its trend', async () => {
  expect((await answer('?account=production')).quotas[0]).toEqual({
    id: 'production@ap-guangzhou@DescribeAccountQuota@postpaid/ap-guangzhou-3',
    account: 'production',
    region: 'ap-guangzhou',
    zone: 'ap-guangzhou-3',
    quota_type: 'postpaid',
    unit: 'instances',
    used: 268,
    remaining: 20,
    limit: 288,
    remaining_ratio: 20 / 288,
    thresholds: { warning: 58, critical: 29 },
    severity: 'critical',
    target_state: 'up',
    stale: false,
    last_success_at: '2026-02-03T14:32:00.000Z',
    trend: { start: '2026-02-03T14:00:00.000Z', step_seconds: 900, used: [260, 264, 268] },
    change: { used: 8, seconds: 1_920 },
    full_in_seconds: null,
  });
});

test('a stale quota has neither severity nor change nor forecast', async () => {
  expect((await answer('?account=staging')).quotas[0]).toMatchObject({
    severity: null,
    stale: true,
    target_state: 'stale',
    used: 118,
    change: null,
    full_in_seconds: null,
  });
});

test('a quota that grows steadily says when it will be full', async () => {
  for (let used = 100; used <= 124; used += 2) {
    monitor.poll(tokyo, quotas(quota({ used, limit: 150, zone: 'ap-tokyo-2' })));
    monitor.nowMs += 15 * minute;
  }
  monitor.nowMs -= 15 * minute;

  const [row] = (await answer('?account=staging&q=ap-tokyo-2')).quotas;

  // Eight more in an hour, and 26 are left.
  expect(row?.full_in_seconds).toBeGreaterThan(3 * 3_600);
  expect(row?.full_in_seconds).toBeLessThan(3.5 * 3_600);
});

test('shows an unknown step as null', async () => {
  monitor.nowMs += 30 * minute;
  monitor.poll(guangzhou, quotas(quota({ used: 270, limit: 288 })));

  const [row] = (await answer('?account=production')).quotas;

  expect(row?.trend).toMatchObject({ used: [260, 264, 268, null, 270] });
});

describe('the filter is that of the page', () => {
  test.each([
    ['', ['postpaid ap-guangzhou-3', 'spotpaid ap-guangzhou-3', 'image -', 'postpaid ap-tokyo-1']],
    ['?region=ap-tokyo', ['postpaid ap-tokyo-1']],
    ['?q=CRITICAL', ['postpaid ap-guangzhou-3']],
    ['?q=overdrawn', ['image -']],
    ['?q=whole%20region', ['image -']],
    ['?show=problems', ['postpaid ap-guangzhou-3', 'image -', 'postpaid ap-tokyo-1']],
    ['?kind=launch-template', []],
    ['?target=staging%40ap-tokyo%40DescribeAccountQuota', ['postpaid ap-tokyo-1']],
    ['?account=&q=&region=nowhere', []],
  ])('%s', async (query, names) => {
    const found = await answer(query);

    expect(namesOf(found)).toEqual(names);
    expect(found.total).toBe(names.length);
    const page = await monitor.text(`/${query}`);
    const [, shown = '0'] =
      /id="quotas-title"\s*>Quotas <span class="count">(\d+)</.exec(page) ?? [];
    expect(Number(shown)).toBe(names.length);
  });
});

test('several accounts and regions can be asked for', async () => {
  const query = '?account=production&account=staging&q=postpaid';

  expect(namesOf(await answer(query))).toEqual(['postpaid ap-guangzhou-3', 'postpaid ap-tokyo-1']);
});

test('every quota is on one of the pages', async () => {
  monitor = largeFleet(2);
  const ids = new Set<string>();
  let cursor: string | null = '';
  let pages = 0;

  while (cursor !== null) {
    const next = await answer(`?limit=50&cursor=${encodeURIComponent(cursor)}`);
    for (const { id } of next.quotas) ids.add(id);
    expect(next.total).toBe(120);
    cursor = next.next_cursor;
    pages += 1;
  }

  expect(ids.size).toBe(120);
  expect(pages).toBe(3);
});

test.each([
  ['limit=0', 'limit must be a whole number from 1 to 1000'],
  ['show=all', 'show must be one of problems'],
  ['format=xml', 'format must be one of json, csv'],
  ['format=csv&limit=5', 'limit and cursor do not apply to csv, which has every quota'],
  ['cursor=gone', 'cursor must be the next_cursor of an answer; start again without it'],
  [
    'zone=x',
    'unknown parameter zone; allowed are account, cursor, format, kind, limit, q, region, show, target',
  ],
])('%s is refused', async (query, error) => {
  const answered = await monitor.json(`/api/v1/quotas?${query}`);

  expect(answered).toEqual({ status: 400, body: { error } });
});
