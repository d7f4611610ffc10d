/** The lists of `/api/v1`, as JSON and CSV. The recordings of the scenarios have every field. */
import { beforeEach, expect, it } from 'vitest';
import { collectors } from '../../src/collectors/collectors.ts';
import { accountCycle, clusterStatus, member } from '../support/cluster-status.ts';
import {
  FakeMonitor,
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../support/fake-monitor.ts';
import { rowsOf } from '../support/rows.ts';

const guangzhou = quotaTarget('production', 'ap-guangzhou');
const web = templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq');
const tokyo = quotaTarget('staging', 'ap-tokyo');
const seoul = quotaTarget('staging', 'ap-seoul');
const minuteMs = 60_000;

type Row = Readonly<Record<string, unknown>>;

let monitor: FakeMonitor;

/** The list of an answer, which has its name. */
async function list(name: 'quotas' | 'targets' | 'changes', query = ''): Promise<readonly Row[]> {
  const { status, body } = await monitor.json(`/api/v1/${name}${query}`);
  expect(status).toBe(200);
  expect(body).not.toHaveProperty('total');
  return (body as Record<string, readonly Row[]>)[name]!;
}

beforeEach(() => {
  monitor = new FakeMonitor(guangzhou, web, tokyo, seoul);
  monitor.nowMs = Date.UTC(2026, 1, 3, 14, 0, 0);
});

const limit = (value: number) => quotas(quota({ used: 1, limit: value }));

function makeChanges(): void {
  monitor.poll(guangzhou, limit(100));
  monitor.poll(tokyo, limit(100));
  monitor.poll(web, versions([1, 2], 1));
  monitor.nowMs += minuteMs;
  monitor.poll(guangzhou, limit(90));
  monitor.poll(tokyo, limit(110));
  monitor.nowMs += minuteMs;
  monitor.poll(web, versions([1, 2], 2));
}

it('/api/v1/changes has an identity and a time for each change, the newest first', async () => {
  makeChanges();
  const [newest, ...others] = await list('changes');

  expect(newest).toMatchObject({
    id: expect.stringMatching(/^1770127320000-[0-9a-f]{12}$/) as string,
    time: '2026-02-03T14:02:00.000Z',
    kind: 'default-version-changed',
    subnet_id: null,
  });
  expect(others.map(({ kind }) => kind)).toEqual(['quota-limit-raised', 'quota-limit-lowered']);
});

it.each(rowsOf<[string, string[] | number]>('api-lists', 'selected-changes'))(
  '/api/v1/changes%s has the changes that the query selects',
  async (query, expected) => {
    makeChanges();
    const kinds = (await list('changes', query)).map(({ kind }) => kind);

    expect(typeof expected === 'number' ? kinds.length : kinds).toEqual(expected);
  },
);

function pollTargets(): void {
  monitor.poll(guangzhou, quotas(quota({ used: 268, limit: 288 })));
  monitor.poll(web, versions([1, 2, 5], 2));
  monitor.nowMs += minuteMs;
  monitor.poll(tokyo, { code: 'AuthFailure.TokenFailure', message: 'no such token' });
  monitor.nowMs += 1_000;
}

it('/api/v1/targets has the times of the last poll and of the last success', async () => {
  pollTargets();
  expect(await list('targets', '?kind=quota&account=production')).toMatchObject([
    {
      id: 'production@ap-guangzhou@DescribeAccountQuota',
      last_poll_at: '2026-02-03T14:00:00.000Z',
      last_poll_duration_seconds: 0.187,
      last_success_at: '2026-02-03T14:00:00.000Z',
      polls: 1,
      polls_failed: 0,
      snapshot: { quotas: [{ quota_type: 'postpaid', used: 268, limit: 288 }] },
    },
  ]);
  expect(await list('targets', '?region=ap-tokyo')).toMatchObject([
    {
      last_success_at: null,
      failure: {
        since: '2026-02-03T14:01:00.000Z',
        advice: expect.stringContaining('replace all three') as string,
      },
      polls_failed: 1,
    },
  ]);
});

it.each(rowsOf<[string, string[]]>('api-lists', 'selected-targets'))(
  '/api/v1/targets%s has the targets that the query selects, in the order of the configuration',
  async (query, expected) => {
    pollTargets();
    const places = (await list('targets', query)).map((row) => row.template_id ?? row.region);

    expect(places).toEqual(expected);
  },
);

it('/api/v1/targets tells which daemon of a cluster polled an account last, and what waits', async () => {
  pollTargets();
  monitor.cluster = clusterStatus({
    members: [member('web-1:14', { isThis: true }), member('web-2:9', { silentMs: 4_500 })],
    accounts: [
      accountCycle('production', { polledBy: 'web-2:9' }),
      accountCycle('staging', { waitingSinceMs: Date.UTC(2026, 1, 3, 14, 0) }),
    ],
  });

  const { body } = await monitor.json('/api/v1/targets');

  const { targets } = body as { targets: readonly Row[] };
  expect(targets.map((row) => [row.account, row.polled_by])).toEqual([
    ['production', 'web-2:9'],
    ['production', 'web-2:9'],
    ['staging', null],
    ['staging', null],
  ]);
  const common = {
    version: '0.1.0',
    started_at: '2026-02-03T12:00:00.000Z',
    configuration: '3f2a9c01d4e5',
  };
  expect(body).toHaveProperty('cluster', {
    members: [
      { name: 'web-1:14', ...common, silent_seconds: 1, is_this: true },
      { name: 'web-2:9', ...common, silent_seconds: 4.5, is_this: false },
    ],
    waiting: [{ account: 'staging', since: '2026-02-03T14:00:00.000Z' }],
    problem: null,
  });
});

function pollQuotas(): void {
  monitor.nowMs += 2 * minuteMs;
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
    monitor.nowMs += 15 * minuteMs;
  }
  monitor.nowMs -= 14 * minuteMs;
}

it('/api/v1/quotas has the trend of a quota, its change and what remains as a share', async () => {
  pollQuotas();
  expect((await list('quotas', '?account=production'))[0]).toMatchObject({
    id: 'production@ap-guangzhou@DescribeAccountQuota@postpaid/ap-guangzhou-3',
    remaining_ratio: 20 / 288,
    last_success_at: '2026-02-03T14:32:00.000Z',
    trend: {
      start: '2026-02-03T14:02:00.000Z',
      seconds: [0, 900, 1_800],
      used: [260, 264, 268],
    },
    change: { used: 8, seconds: 1_800 },
    full_in_seconds: null,
  });
  expect((await list('quotas', '?account=staging'))[0]).toMatchObject({
    stale: true,
    change: null,
    full_in_seconds: null,
  });
});

it('/api/v1/quotas says when a quota that grows steadily will be full', async () => {
  pollQuotas();
  for (let used = 100; used <= 124; used += 2) {
    monitor.poll(tokyo, quotas(quota({ used, limit: 150, zone: 'ap-tokyo-2' })));
    monitor.nowMs += 15 * minuteMs;
  }
  monitor.nowMs -= 15 * minuteMs;

  const [row] = await list('quotas', '?region=ap-tokyo');

  // Eight more in an hour, and 26 are left.
  expect(row?.full_in_seconds).toBeGreaterThan(3 * 3_600);
  expect(row?.full_in_seconds).toBeLessThan(3.5 * 3_600);
});

it.each(rowsOf<[string, string[] | number]>('api-lists', 'selected-quotas'))(
  '/api/v1/quotas%s has the quotas that the query selects',
  async (query, expected) => {
    pollQuotas();
    const names = (await list('quotas', query)).map((row) =>
      [row.quota_type, row.zone ?? '-'].join(' '),
    );

    expect(typeof expected === 'number' ? names.length : names).toEqual(expected);
  },
);

const header =
  'account,region,zone,quota_type,unit,used,remaining,limit,remaining_ratio,warning_threshold,critical_threshold,severity,target_state,stale,' +
  'last_success_at,change,change_seconds,full_in_seconds,template_id,subnet_id';

it('/api/v1/quotas?format=csv has a line for each quota of the filter, and a header that stays', async () => {
  const image = quota({ type: 'image', used: 12, limit: 10, zone: null });
  monitor.poll(guangzhou, quotas(quota({ used: 260, limit: 288 }), image));
  monitor.nowMs += 15 * minuteMs;
  monitor.poll(guangzhou, quotas(quota({ used: 250, limit: 288 }), image));

  const response = await monitor.get('/api/v1/quotas?format=csv');

  expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
  expect(await response.text()).toBe(
    [
      header,
      'production,ap-guangzhou,ap-guangzhou-3,postpaid,instances,250,38,288,0.13194444444444445,58,29,warning,up,false,2026-02-03T14:15:00.000Z,-10,900,,,',
      'production,ap-guangzhou,,image,images,12,-2,10,-0.2,2,1,critical,up,false,2026-02-03T14:15:00.000Z,0,900,,,',
      '',
    ].join('\r\n'),
  );
  const nothing = await monitor.text('/api/v1/quotas?format=csv&template_id=lt-b8v1kcyq');
  expect(nothing).toBe(`${header}\r\n`);
});

it.each(rowsOf<[string, string]>('api-lists', 'cells-of-CSV'))(
  '/api/v1/quotas?format=csv lets no spreadsheet run what comes from outside: %j',
  async (zone, cell) => {
    monitor.poll(guangzhou, quotas(quota({ used: 12, limit: 10, zone })));

    const text = await monitor.text('/api/v1/quotas?format=csv');

    expect(text).toContain(`production,ap-guangzhou,${cell},postpaid,instances,12,-2,10,`);
  },
);

it.each(rowsOf<[string, string]>('api-lists', 'refused-queries'))(
  '/api/v1/%s is answered 400 and names the mistake',
  async (query, error) => {
    const response = await monitor.get(`/api/v1/${query}`);

    expect(response.status).toBe(400);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    const kinds = {
      CHANGE_KINDS: collectors.changeKinds,
      KINDS: collectors.all.map(({ kind }) => kind),
    };
    const named = Object.entries(kinds).reduce(
      (text, [name, all]) => text.replace(new RegExp(`\\b${name}$`), all.join(', ')),
      error,
    );
    expect(await response.json()).toEqual({ error: named });
  },
);

it.each(['/api/v1/quotas', '/api/v1/quotas?format=csv'])(
  '%s of 5,000 quotas lets others have turns of the event loop',
  async (path) => {
    const targets = Array.from({ length: 100 }, (_, i) => quotaTarget('production', `ap-r${i}`));
    const rows = Array.from({ length: 50 }, (_, i) => quota({ used: 1, limit: 9, zone: `z${i}` }));
    monitor = new FakeMonitor(...targets);
    for (const target of targets) monitor.poll(target, quotas(...rows));
    let turns = 0;
    let next = setImmediate(function count() {
      turns += 1;
      next = setImmediate(count);
    });

    const text = await monitor.text(path);
    clearImmediate(next);

    expect(text.length).toBeGreaterThan(5_000 * 50);
    expect(turns).toBeGreaterThan(3);
  },
);
