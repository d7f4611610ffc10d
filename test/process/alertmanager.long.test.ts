import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasProgram } from '../support/programs.ts';
import { startAlertmanager } from '../support/prometheus/servers.ts';

type Labels = Readonly<Record<string, string>>;

const program = 'prometheus-alertmanager';
const configPath = join(import.meta.dirname, '../../config/alertmanager/alertmanager.yaml');
const job = 'cvm-quota-monitor';
const quota = { account: 'production', region: 'r', zone: 'z', quota_type: 'postpaid' };
const image = { account: 'production', region: 'r', quota_type: 'image' };
const code = 'AuthFailure.SecretIdNotFound';
const ofAccount = { job, account: 'production', code };
const ofTeam = { job, team: 'payments', code };
const target = { ...ofAccount, region: 'r', operation: 'o' };

/** An alert by its name and severity, with labels of which the last count. */
function firing(what: string, ...labels: readonly Labels[]): Labels {
  const [alertname = '', severity = ''] = what.split(' ');
  return Object.assign({ alertname, severity }, ...labels) as Labels;
}

async function post(url: string, alerts: readonly Labels[]): Promise<void> {
  const response = await fetch(`${url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(alerts.map((labels) => ({ labels }))),
  });
  expect(response.status).toBe(200);
}

/** The names and severities of the alerts that no other holds back. */
async function told(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/api/v2/alerts?inhibited=false`);
  const alerts = (await response.json()) as { labels: Labels }[];
  return alerts.map(({ labels }) => `${labels.alertname} ${labels.severity}`).sort();
}

it.runIf(hasProgram(program, program)).each(
  Object.entries<{ alerts: readonly Labels[]; expected: readonly string[] }>({
    'an exhausted quota once, and a low one of another zone still': {
      alerts: [
        firing('CvmQuotaExhausted critical', quota),
        firing('CvmQuotaLow critical', quota),
        firing('CvmQuotaLow warning', quota),
        firing('CvmQuotaFillingUp warning', quota),
        firing('CvmQuotaLow warning', quota, { zone: 'other' }),
        firing('CvmQuotaLow warning', quota, { cluster: 'other' }),
      ],
      expected: ['CvmQuotaExhausted critical', 'CvmQuotaLow warning', 'CvmQuotaLow warning'],
    },
    'a critically low quota of a whole region once': {
      alerts: [
        firing('CvmQuotaLow critical', image),
        firing('CvmQuotaLow warning', image),
        firing('CvmQuotaFillingUp warning', image),
      ],
      expected: ['CvmQuotaLow critical'],
    },
    'a changed default version though its quota is exhausted and the daemon absent': {
      alerts: [
        firing('CvmQuotaExhausted critical', quota),
        firing('CvmMonitorAbsent critical', { job, instance: 'i' }),
        firing('CvmLaunchTemplateDefaultVersionChanged warning', target),
      ],
      expected: [
        'CvmLaunchTemplateDefaultVersionChanged warning',
        'CvmMonitorAbsent critical',
        'CvmQuotaExhausted critical',
      ],
    },
    'refused credentials once for the account, not each target that fails for them': {
      alerts: [
        firing('CvmMonitorCredentialsRefused critical', ofAccount),
        firing('CvmMonitorTargetFailing warning', target),
        firing('CvmMonitorTargetStale critical', target),
        firing('CvmMonitorTargetFailing warning', target, { account: 'other' }),
      ],
      expected: ['CvmMonitorCredentialsRefused critical', 'CvmMonitorTargetFailing warning'],
    },
    'the store of a cluster once, not each target that is stale for it': {
      alerts: [
        firing('CvmMonitorClusterStoreDown critical', { job }),
        firing('CvmMonitorClusterCycleWaiting warning', { job }),
        firing('CvmMonitorTargetStale critical', target),
        firing('CvmMonitorTargetStale critical', target, { namespace: 'n' }),
      ],
      expected: ['CvmMonitorClusterStoreDown critical', 'CvmMonitorTargetStale critical'],
    },
    'a stale target though one daemon of several cannot use the store': {
      alerts: [
        firing('CvmMonitorClusterStoreDown warning', { job, instance: 'i' }),
        firing('CvmMonitorTargetStale critical', target),
      ],
      expected: ['CvmMonitorClusterStoreDown warning', 'CvmMonitorTargetStale critical'],
    },
    'credentials that ended once': {
      alerts: [
        firing('CvmMonitorCredentialsRefused critical', ofAccount, { code: 'Credentials' }),
        firing('CvmMonitorCredentialsExpiring warning', target),
      ],
      expected: ['CvmMonitorCredentialsRefused critical'],
    },
    'credentials that end though a permission is missing': {
      alerts: [
        firing('CvmMonitorCredentialsRefused critical', ofAccount, {
          code: 'UnauthorizedOperation',
        }),
        firing('CvmMonitorCredentialsExpiring warning', target),
      ],
      expected: ['CvmMonitorCredentialsExpiring warning', 'CvmMonitorCredentialsRefused critical'],
    },
    'many accounts of a team once, and another team, code and namespace still': {
      alerts: [
        firing('CvmMonitorTargetStale critical', ofTeam),
        firing('CvmMonitorTargetStale critical', ofTeam, target),
        firing('CvmMonitorTargetStale critical', ofTeam, target, { team: 'search' }),
        firing('CvmMonitorTargetStale critical', ofTeam, target, { code: 'Timeout' }),
        firing('CvmMonitorTargetStale critical', ofTeam, target, { namespace: 'n' }),
      ],
      expected: Array.from({ length: 4 }, () => 'CvmMonitorTargetStale critical'),
    },
    'refused credentials of many accounts once, and a failing target of another team still': {
      alerts: [
        firing('CvmMonitorCredentialsRefused critical', ofTeam),
        firing('CvmMonitorTargetStale critical', ofTeam),
        firing('CvmMonitorTargetFailing warning', ofTeam, target),
        firing('CvmMonitorTargetFailing warning', target),
      ],
      expected: ['CvmMonitorCredentialsRefused critical', 'CvmMonitorTargetFailing warning'],
    },
    'many targets of an account once, and another code of it still': {
      alerts: [
        firing('CvmMonitorTargetFailing warning', ofAccount),
        firing('CvmMonitorTargetFailing warning', target),
        firing('CvmMonitorTargetFailing warning', target, { code: 'Timeout' }),
      ],
      expected: ['CvmMonitorTargetFailing warning', 'CvmMonitorTargetFailing warning'],
    },
    'a stale target once': {
      alerts: [
        firing('CvmMonitorTargetStale critical', target),
        firing('CvmMonitorTargetFailing warning', target),
      ],
      expected: ['CvmMonitorTargetStale critical'],
    },
    'an absent daemon once, and the troubles of another one still': {
      alerts: [
        firing('CvmMonitorAbsent critical', { job, instance: 'i' }),
        firing('CvmMonitorStateNotWritten critical', { job, instance: 'i' }),
        firing('CvmMonitorConfigReloadFailed warning', { job, instance: 'other' }),
      ],
      expected: ['CvmMonitorAbsent critical', 'CvmMonitorConfigReloadFailed warning'],
    },
  }),
)(
  'Alertmanager with the shipped configuration tells of %s',
  async (_what, { alerts, expected }) => {
    const url = `http://${await startAlertmanager(configPath)}`;

    await post(url, alerts);

    await expect.poll(() => told(url)).toEqual(expected);
  },
);

it.runIf(hasProgram('amtool', program)).each([
  ['CvmQuotaLow', 'critical', 'on-call'],
  ['CvmQuotaLow', 'warning', 'notifications'],
  ['CvmQuotaLimitLowered', 'warning', 'changes'],
  ['CvmLaunchTemplateDefaultVersionChanged', 'warning', 'changes'],
  ['CvmQuotaDisappeared', 'warning', 'changes'],
  ['CvmQuotaDisappeared', 'critical', 'on-call'],
  ['OfAnotherTeam', 'none', 'notifications'],
])('Alertmanager with the shipped configuration sends %s %s to %s', (name, severity, receiver) => {
  const labels = [`alertname=${name}`, `severity=${severity}`];
  const args = ['config', 'routes', 'test', `--config.file=${configPath}`, ...labels];
  const stdio = ['ignore', 'pipe', 'ignore'] as const;

  expect(execFileSync('amtool', args, { encoding: 'utf8', stdio: [...stdio] }).trim()).toBe(
    receiver,
  );
});
