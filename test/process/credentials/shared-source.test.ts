import { describe, expect, test } from 'vitest';
import { seriesOf } from '../../support/exposition-text.ts';
import { startMonitor, type MonitorOptions } from '../../support/monitor.ts';
import { pod, requestsOf, scenario } from './world.ts';

describe('one source for many roles', () => {
  const roleOf = (name: string) => `qcs::cam::uin/100000000002:roleName/monitor-${name}`;

  async function startMany(accounts = ['a', 'b', 'c'], serviceUrl?: MonitorOptions['serviceUrl']) {
    const variables: Record<string, string> = {};
    const others: { removed: string[]; timeout: string } = { removed: [], timeout: '10s' };
    const monitor = await startMonitor({
      scenario: {
        ...scenario,
        accounts: scenario.accounts.map((account) =>
          account.name === 'member'
            ? { ...account, roles: accounts.map((name) => ({ name: `monitor-${name}` })) }
            : account,
        ),
      },
      env: variables,
      ...(serviceUrl !== undefined && { serviceUrl }),
      prepare: async (places) => {
        Object.assign(variables, pod.env(places.directory));
        await pod.prepare(places);
      },
      config: ({ endpoint }) => ({
        api: { endpoint, sts_endpoint: endpoint, timeout: others.timeout },
        accounts: accounts
          .filter((name) => !others.removed.includes(name))
          .map((name) => ({
            name,
            credentials: {
              type: 'assume_role' as const,
              role_arn: roleOf(name),
              source: { type: 'tke_oidc' as const },
            },
            quota_types: ['image'],
            regions: ['ap-regiona'],
          })),
      }),
    });
    return { monitor, others };
  }

  test('is asked once, and each role has one session', async () => {
    const { monitor } = await startMany();

    await monitor.cycle();

    expect(requestsOf(monitor, 'AssumeRoleWithWebIdentity')).toHaveLength(1);
    const roles = requestsOf(monitor, 'AssumeRole').map(({ parameters }) => parameters?.RoleArn);
    expect(new Set(roles)).toEqual(new Set(['a', 'b', 'c'].map(roleOf)));
    expect(roles).toHaveLength(3);
    expect(new Set(requestsOf(monitor, 'DescribeAccountQuota').map((r) => r.secret_id)).size).toBe(
      3,
    );
  });

  test('keeps its credentials and sessions through a reload', async () => {
    const { monitor, others } = await startMany();

    others.removed.push('b');
    others.timeout = '9s';
    await monitor.daemon.reload();
    await monitor.cycle();

    expect(requestsOf(monitor, 'AssumeRoleWithWebIdentity')).toHaveLength(1);
    expect(requestsOf(monitor, 'AssumeRole')).toHaveLength(3);
    const expiries = seriesOf(
      await monitor.metrics(),
      'cvm_monitor_credentials_expiry_timestamp_seconds',
    );
    expect(Object.keys(expiries)).toEqual(['{account="a"}', '{account="c"}']);
  });
});
