/** What the page of a daemon of a cluster shows. */
import { beforeEach, expect, test } from 'vitest';
import { accountCycle, clusterStatus, member } from '../../../../helpers/cluster-status.ts';
import { FakeMonitor, quotaTarget } from '../../../../helpers/fake-monitor.ts';
import { alertsOf, rowsOf } from '../../../../helpers/page-text.ts';

let monitor: FakeMonitor;

beforeEach(() => {
  monitor = new FakeMonitor(
    quotaTarget('production', 'ap-guangzhou'),
    quotaTarget('staging', 'ap-tokyo'),
  );
  monitor.cluster = clusterStatus();
});

const show = (fields: Parameters<typeof clusterStatus>[0]) => {
  monitor.cluster = clusterStatus(fields);
  monitor.storageProblem = monitor.cluster.problem;
  return monitor.text('/');
};

test('one daemon alone has no section about daemons', async () => {
  monitor.cluster = null;

  const page = await monitor.text('/');

  expect(page).not.toContain('#daemons');
  expect(page).not.toMatch(/id="(daemons|cycles)"/);
});

test('lists the daemons, and marks the one of the page and other configurations', async () => {
  const page = await show({
    members: [
      member('web-1:14', { isThis: true }),
      member('web-2:9', { configuration: '<b>other</b>', silentMs: 12_000 }),
    ],
  });

  expect(rowsOf(page, 'daemons').map((row) => row.join(' | '))).toEqual([
    'web-1:14 this page | 0.1.0 | 2 h 5 min ago | 3f2a9c01d4e5 | 1.0 s ago',
    'web-2:9 | 0.1.0 | 2 h 5 min ago | &lt;b&gt;other&lt;/b&gt; differs | 12 s ago',
  ]);
  expect(alertsOf(page)).toEqual([
    'The daemons have 2 different configurations. What is polled depends on the daemon that takes the cycle.',
  ]);
});

test('shows which daemon polled an account last, and the cycle that waits longest first', async () => {
  const accounts = [
    accountCycle('production', {
      polledBy: 'web-2:9',
      begunAtMs: monitor.nowMs - 60_000,
      isRunning: true,
    }),
    accountCycle('staging', { waitingSinceMs: monitor.nowMs - 5_000 }),
    accountCycle('testing', { waitingSinceMs: monitor.nowMs - 26_000 }),
  ];

  const page = await show({ accounts });

  expect(rowsOf(page, 'cycles').map((row) => row.join(' | '))).toEqual([
    'testing | – | – | due 26 s ago late',
    'staging | – | – | due 5 s ago',
    'production | web-2:9 | 1 min ago running | –',
  ]);
  expect(alertsOf(page)).toEqual([
    'No daemon takes 1 cycle that is due. The oldest was due at 2026-02-03 14:04:34 UTC and has not begun.',
  ]);
});

test('a cycle that a take-over may still give to another daemon is no problem', async () => {
  const waitingSinceMs = monitor.nowMs - 25_000;

  expect(alertsOf(await show({ accounts: [accountCycle('staging', { waitingSinceMs })] }))).toEqual(
    [],
  );
});

test('says that polling stops while Redis does not answer, and not that it goes on', async () => {
  const page = await show({
    problem: 'Redis at valkey:6379 cannot be used for reading: <timeout>',
  });

  expect(alertsOf(page)).toEqual([
    'This daemon does not poll. What it shows is from before, and becomes stale. Counters of changes are absent while reading fails. Redis at valkey:6379 cannot be used for reading: &lt;timeout&gt;',
  ]);
});

test('the filter by account, the order and the pages hold for cycles too', async () => {
  const accounts = Array.from({ length: 30 }, (_, i) => accountCycle(`account-${i + 10}`));
  monitor.cluster = clusterStatus({ accounts });
  const firstOf = async (search: string) => {
    const rows = rowsOf(await monitor.text(search), 'cycles');
    return [rows.length, rows[0]?.[0]];
  };

  expect(await firstOf('/')).toEqual([25, 'account-10']);
  expect(await firstOf('/?cycles=2')).toEqual([5, 'account-35']);
  expect(await firstOf('/?cycles-sort=-account')).toEqual([25, 'account-39']);
  expect(await firstOf('/?account=account-12')).toEqual([1, 'account-12']);
});
