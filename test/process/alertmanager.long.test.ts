import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { hasProgram } from '../support/programs.ts';
import { startAlertmanager } from '../support/prometheus/servers.ts';

type Labels = Readonly<Record<string, string>>;

const program = 'prometheus-alertmanager';
const configPath = join(import.meta.dirname, '../../config/alertmanager/alertmanager.yaml');
const casesPath = join(import.meta.dirname, '../support/fixtures/alertmanager/inhibitions.yaml');
const cases = parse(readFileSync(casesPath, 'utf8')) as readonly {
  readonly case: string;
  readonly alerts: readonly string[];
  readonly told: readonly string[];
}[];

const daemon = { job: 'cvm-quota-monitor' };
const code = 'AuthFailure.SecretIdNotFound';
const account = { ...daemon, account: 'production', code };
const named: Readonly<Record<string, Labels>> = {
  daemon,
  account,
  quota: { ...daemon, account: 'production', region: 'r', zone: 'z', quota_type: 'postpaid' },
  image: { ...daemon, account: 'production', region: 'r', quota_type: 'image' },
  launch: {
    ...{ ...daemon, account: 'production', region: 'r', zone: 'z' },
    ...{ charge_type: 'postpaid', reason: 'quota' },
  },
  target: { ...account, region: 'r', operation: 'o' },
};

/** The labels of an alert of the cases. */
function firing(alert: string): Labels {
  const [alertname = '', severity = '', ...words] = alert.split(' ');
  const pairs = words.flatMap((word): [string, string][] => {
    const [name = '', value = ''] = word.split('=');
    return Object.entries(named[word] ?? { [name]: value });
  });
  return { alertname, severity, ...Object.fromEntries(pairs) };
}

async function post(url: string, alerts: readonly string[]): Promise<void> {
  const response = await fetch(`${url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(alerts.map((alert) => ({ labels: firing(alert) }))),
  });
  expect(response.status).toBe(200);
}

/** The names and severities of the alerts that no other holds back. */
async function told(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/api/v2/alerts?inhibited=false`);
  const alerts = (await response.json()) as { labels: Labels }[];
  return alerts.map(({ labels }) => `${labels.alertname} ${labels.severity}`).sort();
}

it.runIf(hasProgram(program, program)).each(cases)(
  'Alertmanager with the shipped configuration tells of $case',
  async ({ alerts, told: expected }) => {
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
