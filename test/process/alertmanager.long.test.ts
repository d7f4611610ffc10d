import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasProgram } from '../support/programs.ts';
import { startAlertmanager } from '../support/prometheus/servers.ts';

type Labels = Readonly<Record<string, string>>;

const program = 'prometheus-alertmanager';
const configPath = join(import.meta.dirname, '../../config/alertmanager/alertmanager.yaml');

const quota = { account: 'production', region: 'r', zone: 'z', quota_type: 'postpaid' };
const target = {
  job: 'cvm-quota-monitor',
  account: 'production',
  region: 'r',
  operation: 'o',
  code: 'AuthFailure.SecretIdNotFound',
};
const ofTeam = { job: target.job, team: 'payments', code: target.code };
const refused = {
  job: target.job,
  account: target.account,
  code: 'AuthFailure.SecretIdNotFound',
  alertname: 'CvmMonitorCredentialsRefused',
  severity: 'critical',
};

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

describe.runIf(hasProgram(program, program))('Alertmanager', () => {
  it.each([
    {
      what: 'an exhausted quota once, and a low one of another zone still',
      alerts: [
        { ...quota, alertname: 'CvmQuotaExhausted', severity: 'critical' },
        { ...quota, alertname: 'CvmQuotaLow', severity: 'critical' },
        { ...quota, alertname: 'CvmQuotaLow', severity: 'warning' },
        { ...quota, alertname: 'CvmQuotaFillingUp', severity: 'warning' },
        { ...quota, zone: 'other', alertname: 'CvmQuotaLow', severity: 'warning' },
        { ...quota, cluster: 'other', alertname: 'CvmQuotaLow', severity: 'warning' },
      ],
      expected: ['CvmQuotaExhausted critical', 'CvmQuotaLow warning', 'CvmQuotaLow warning'],
    },
    {
      what: 'a critically low quota of a whole region once',
      alerts: [
        {
          account: 'a',
          region: 'r',
          quota_type: 'image',
          alertname: 'CvmQuotaLow',
          severity: 'critical',
        },
        {
          account: 'a',
          region: 'r',
          quota_type: 'image',
          alertname: 'CvmQuotaLow',
          severity: 'warning',
        },
        {
          account: 'a',
          region: 'r',
          quota_type: 'image',
          alertname: 'CvmQuotaFillingUp',
          severity: 'warning',
        },
      ],
      expected: ['CvmQuotaLow critical'],
    },
    {
      what: 'a changed default version though its quota is exhausted and the daemon absent',
      alerts: [
        { ...quota, alertname: 'CvmQuotaExhausted', severity: 'critical' },
        {
          job: 'cvm-quota-monitor',
          instance: 'i',
          alertname: 'CvmMonitorAbsent',
          severity: 'critical',
        },
        { ...target, alertname: 'CvmLaunchTemplateDefaultVersionChanged', severity: 'warning' },
      ],
      expected: [
        'CvmLaunchTemplateDefaultVersionChanged warning',
        'CvmMonitorAbsent critical',
        'CvmQuotaExhausted critical',
      ],
    },
    {
      what: 'refused credentials once for the account, not each target that fails for them',
      alerts: [
        refused,
        { ...target, alertname: 'CvmMonitorTargetFailing', severity: 'warning' },
        { ...target, alertname: 'CvmMonitorTargetStale', severity: 'critical' },
        { ...target, account: 'other', alertname: 'CvmMonitorTargetFailing', severity: 'warning' },
      ],
      expected: ['CvmMonitorCredentialsRefused critical', 'CvmMonitorTargetFailing warning'],
    },
    {
      what: 'the store of a cluster once, not each target that is stale for it',
      alerts: [
        { job: target.job, alertname: 'CvmMonitorClusterStoreDown', severity: 'critical' },
        { job: target.job, alertname: 'CvmMonitorClusterCycleWaiting', severity: 'warning' },
        { ...target, alertname: 'CvmMonitorTargetStale', severity: 'critical' },
        { ...target, namespace: 'n', alertname: 'CvmMonitorTargetStale', severity: 'critical' },
      ],
      expected: ['CvmMonitorClusterStoreDown critical', 'CvmMonitorTargetStale critical'],
    },
    {
      what: 'a stale target though one daemon of several cannot use the store',
      alerts: [
        {
          job: target.job,
          instance: 'i',
          alertname: 'CvmMonitorClusterStoreDown',
          severity: 'warning',
        },
        { ...target, alertname: 'CvmMonitorTargetStale', severity: 'critical' },
      ],
      expected: ['CvmMonitorClusterStoreDown warning', 'CvmMonitorTargetStale critical'],
    },
    {
      what: 'credentials that ended once',
      alerts: [
        { ...refused, code: 'Credentials' },
        { ...target, alertname: 'CvmMonitorCredentialsExpiring', severity: 'warning' },
      ],
      expected: ['CvmMonitorCredentialsRefused critical'],
    },
    {
      what: 'credentials that end though a permission is missing',
      alerts: [
        { ...refused, code: 'UnauthorizedOperation' },
        { ...target, alertname: 'CvmMonitorCredentialsExpiring', severity: 'warning' },
      ],
      expected: ['CvmMonitorCredentialsExpiring warning', 'CvmMonitorCredentialsRefused critical'],
    },
    {
      what: 'many accounts of a team once, and another team, code and namespace still',
      alerts: [
        { ...ofTeam, alertname: 'CvmMonitorTargetStale', severity: 'critical' },
        { ...ofTeam, ...target, alertname: 'CvmMonitorTargetStale', severity: 'critical' },
        ...[{ team: 'search' }, { code: 'Timeout' }, { namespace: 'n' }].map((other) => ({
          ...ofTeam,
          ...target,
          ...other,
          alertname: 'CvmMonitorTargetStale',
          severity: 'critical',
        })),
      ],
      expected: Array.from({ length: 4 }, () => 'CvmMonitorTargetStale critical'),
    },
    {
      what: 'refused credentials of many accounts once, and a failing target of another team still',
      alerts: [
        { ...ofTeam, alertname: 'CvmMonitorCredentialsRefused', severity: 'critical' },
        { ...ofTeam, alertname: 'CvmMonitorTargetStale', severity: 'critical' },
        { ...ofTeam, ...target, alertname: 'CvmMonitorTargetFailing', severity: 'warning' },
        { ...target, alertname: 'CvmMonitorTargetFailing', severity: 'warning' },
      ],
      expected: ['CvmMonitorCredentialsRefused critical', 'CvmMonitorTargetFailing warning'],
    },
    {
      what: 'many targets of an account once, and another code of it still',
      alerts: [
        { ...refused, alertname: 'CvmMonitorTargetFailing', severity: 'warning' },
        { ...target, alertname: 'CvmMonitorTargetFailing', severity: 'warning' },
        { ...target, code: 'Timeout', alertname: 'CvmMonitorTargetFailing', severity: 'warning' },
      ],
      expected: ['CvmMonitorTargetFailing warning', 'CvmMonitorTargetFailing warning'],
    },
    {
      what: 'a stale target once',
      alerts: [
        { ...target, alertname: 'CvmMonitorTargetStale', severity: 'critical' },
        { ...target, alertname: 'CvmMonitorTargetFailing', severity: 'warning' },
      ],
      expected: ['CvmMonitorTargetStale critical'],
    },
    {
      what: 'an absent daemon once, and the troubles of another one still',
      alerts: [
        {
          job: 'cvm-quota-monitor',
          instance: 'i',
          alertname: 'CvmMonitorAbsent',
          severity: 'critical',
        },
        {
          job: 'cvm-quota-monitor',
          instance: 'i',
          alertname: 'CvmMonitorStateNotWritten',
          severity: 'critical',
        },
        {
          job: 'cvm-quota-monitor',
          instance: 'other',
          alertname: 'CvmMonitorConfigReloadFailed',
          severity: 'warning',
        },
      ],
      expected: ['CvmMonitorAbsent critical', 'CvmMonitorConfigReloadFailed warning'],
    },
  ])('tells of $what', async ({ alerts, expected }) => {
    const url = `http://${await startAlertmanager(configPath)}`;

    await post(url, alerts);

    await expect.poll(() => told(url)).toEqual(expected);
  });
});
