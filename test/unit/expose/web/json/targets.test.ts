import { beforeEach, describe, expect, test } from 'vitest';
import { accountCycle, clusterStatus, member } from '../../../../helpers/cluster-status.ts';
import {
  FakeMonitor,
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../../../../helpers/fake-monitor.ts';

const guangzhou = quotaTarget('production', 'ap-guangzhou');
const web = templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq');
const tokyo = quotaTarget('staging', 'ap-tokyo');
const never = quotaTarget('staging', 'ap-seoul');

interface TargetsAnswer {
  targets: { id: string; [key: string]: unknown }[];
  total: number;
  next_cursor: string | null;
}

let monitor: FakeMonitor;

async function targets(query = ''): Promise<TargetsAnswer> {
  const { status, body } = await monitor.json(`/api/v1/targets${query}`);
  expect(status).toBe(200);
  return body as TargetsAnswer;
}
const placesOf = (answer: TargetsAnswer) =>
  answer.targets.map(({ region, template_id }) => String(template_id ?? region));

beforeEach(() => {
  monitor = new FakeMonitor(guangzhou, web, tokyo, never);
  monitor.nowMs = Date.UTC(2026, 1, 3, 14, 0, 0);
  monitor.poll(guangzhou, quotas(quota({ used: 268, limit: 288 })));
  monitor.poll(web, versions([1, 2, 5], 2));
  monitor.nowMs += 60_000;
  monitor.poll(tokyo, { code: 'Timeout', message: 'no answer within 10 s' });
  monitor.nowMs += 1_000;
});

test('a target of quotas comes with its freshness and its figures', async () => {
  expect((await targets('?kind=quota&account=production')).targets).toMatchObject([
    {
      id: 'production@ap-guangzhou@DescribeAccountQuota',
      kind: 'quota',
      account: 'production',
      region: 'ap-guangzhou',
      operation: 'DescribeAccountQuota',
      template_id: null,
      up: true,
      stale: false,
      last_poll_at: '2026-02-03T14:00:00.000Z',
      last_poll_duration_seconds: 0.187,
      last_success_at: '2026-02-03T14:00:00.000Z',
      failure: null,
      polls: 1,
      polls_failed: 0,
      incomplete: false,
      missing: [],
      snapshot: {
        app_id: 251007416,
        quotas: [
          {
            quota_type: 'postpaid',
            zone: 'ap-guangzhou-3',
            unit: 'instances',
            used: 268,
            remaining: 20,
            limit: 288,
            once_limit: null,
          },
        ],
        disaster_recover_group_instance_limits: null,
      },
      polled_by: null,
    },
  ]);
});

test('a target whose answer lacked something names it, and is up', async () => {
  const missing = ['zone ap-guangzhou-9: no row in the answer'];
  monitor.poll(guangzhou, { ...quotas(quota({ used: 12, limit: 10 })), missing });

  expect((await targets('?kind=quota&account=production')).targets).toMatchObject([
    { up: true, incomplete: true, missing, snapshot: { quotas: [{ used: 12, remaining: -2 }] } },
  ]);
});

test('a target of a template comes with its versions', async () => {
  expect((await targets('?kind=launch-template')).targets).toMatchObject([
    {
      id: 'production@ap-guangzhou@DescribeLaunchTemplateVersions@lt-b8v1kcyq',
      template_id: 'lt-b8v1kcyq',
      snapshot: {
        versions: [1, 2, 5],
        default_version: {
          version: 2,
          image_id: 'img-8toqc6s3',
          instance_type: 'S5.2XLARGE16',
          charge_type: 'POSTPAID_BY_HOUR',
        },
      },
    },
  ]);
});

test('a failing target says why and since when', async () => {
  monitor.nowMs += 60_000;
  monitor.poll(tokyo, { code: 'Timeout', message: 'no answer within 10 s' });

  expect((await targets('?region=ap-tokyo')).targets).toMatchObject([
    {
      up: false,
      last_success_at: null,
      failure: {
        code: 'Timeout',
        message: 'no answer within 10 s',
        request_id: null,
        since: '2026-02-03T14:01:00.000Z',
      },
      polls: 1 + 1,
      polls_failed: 2,
      snapshot: null,
    },
  ]);
});

test('a stale target is not shown as fresh, and keeps what it last knew', async () => {
  monitor.nowMs += monitor.staleAfterMs;

  expect((await targets('?account=production&kind=quota')).targets).toMatchObject([
    { up: false, stale: true, snapshot: { quotas: [{ used: 268 }] } },
  ]);
});

describe('paging', () => {
  test('gives every target once, in the order of the configuration', async () => {
    const first = await targets('?limit=3');
    const second = await targets(`?limit=3&cursor=${first.next_cursor!}`);

    expect(placesOf(first)).toEqual(['ap-guangzhou', 'lt-b8v1kcyq', 'ap-tokyo']);
    expect(placesOf(second)).toEqual(['ap-seoul']);
    expect(second).toMatchObject({ total: 4, next_cursor: null });
  });

  test('stays in place when the filtered set changes under it', async () => {
    const { next_cursor: cursor } = await targets('?up=true&limit=1');
    monitor.poll(guangzhou, { code: 'Timeout', message: '' });

    expect(placesOf(await targets(`?up=true&limit=1&cursor=${cursor!}`))).toEqual(['lt-b8v1kcyq']);
  });

  test('is begun again when the target of the cursor is watched no longer', async () => {
    const error = 'cursor must be the next_cursor of an answer; start again without it';
    const answered = await monitor.json('/api/v1/targets?cursor=production@nowhere@X');

    expect(answered).toEqual({ status: 400, body: { error } });
  });
});

test.each([
  ['?account=staging', ['ap-tokyo', 'ap-seoul']],
  ['?region=ap-tokyo&region=ap-seoul', ['ap-tokyo', 'ap-seoul']],
  ['?kind=launch-template', ['lt-b8v1kcyq']],
  ['?up=false', ['ap-tokyo', 'ap-seoul']],
  ['?up=true', ['ap-guangzhou', 'lt-b8v1kcyq']],
  ['?from=2026-02-03T14:01:00Z', ['ap-tokyo']],
  ['?to=2026-02-03T14:01:00Z', ['ap-guangzhou', 'lt-b8v1kcyq']],
])('%s filters', async (query, expected) => {
  expect(placesOf(await targets(query))).toEqual(expected);
});

test.each([
  ['kind=quotas', expect.stringContaining('kind must be one of region-list, quota, ')],
  ['up=1', 'up must be one of true, false'],
  [
    'status=up',
    'unknown parameter status; allowed are account, cursor, from, kind, limit, region, to, up',
  ],
])('%s is answered 400', async (query, error) => {
  const answered = await monitor.json(`/api/v1/targets?${query}`);

  expect(answered).toEqual({ status: 400, body: { error } });
});

test('a daemon of a cluster tells who polled an account last, and what waits', async () => {
  monitor.cluster = clusterStatus({
    members: [member('web-1:14', { isThis: true }), member('web-2:9', { silentMs: 4_500 })],
    accounts: [
      accountCycle('production', { polledBy: 'web-2:9', isRunning: true }),
      accountCycle('staging', { waitingSinceMs: Date.UTC(2026, 1, 3, 14, 0) }),
    ],
  });

  const { body } = await monitor.json('/api/v1/targets');

  const answer = body as TargetsAnswer;
  expect(answer.targets.map(({ account, polled_by }) => [account, polled_by])).toEqual([
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

test('one daemon alone has no cluster', async () => {
  expect(await targets()).toHaveProperty('cluster', null);
});
