/** What `/-/ready` of a daemon of a cluster says. */
import { expect, test } from 'vitest';
import { accountCycle, clusterStatus, member } from '../../../helpers/cluster-status.ts';
import { FakeMonitor, quotaTarget } from '../../../helpers/fake-monitor.ts';

async function linesOf(fields: Parameters<typeof clusterStatus>[0]): Promise<string[]> {
  const monitor = new FakeMonitor(quotaTarget('production', 'ap-guangzhou'));
  monitor.cluster = clusterStatus(fields);
  monitor.storageProblem = monitor.cluster.problem;
  const answer = await monitor.get('/-/ready');
  expect(answer.status).toBe(200);
  return (await answer.text()).trimEnd().split('\n').slice(1);
}

test('names the daemons', async () => {
  expect(await linesOf({})).toEqual(['cluster: 2 daemons: web-1:14, web-2:9']);
  expect(await linesOf({ members: [] })).toEqual(['cluster: 0 daemons']);
});

test('names ten daemons, and counts the others', async () => {
  const members = Array.from({ length: 12 }, (_, i) => member(`web:${i}`));
  expect((await linesOf({ members }))[0]).toMatch(/^cluster: 12 daemons: .*web:9, and 2 more$/);
});

test('tells of different configurations, of cycles that wait, and that polling has stopped', async () => {
  const [, ...lines] = await linesOf({
    members: [member('web-1:14'), member('web-2:9', { configuration: 'other' })],
    accounts: [
      accountCycle('production', { waitingSinceMs: Date.UTC(2026, 1, 3, 14, 5) }),
      accountCycle('staging'),
    ],
    problem: 'Redis at valkey:6379 cannot be used for reading: timeout',
  });

  expect(lines).toEqual([
    'the daemons have 2 different configurations',
    '1 due cycle not begun: production since 2026-02-03T14:05:00.000Z',
    'this daemon does not poll; values go stale, and counters of changes are absent while reading fails: Redis at valkey:6379 cannot be used for reading: timeout',
  ]);
});
