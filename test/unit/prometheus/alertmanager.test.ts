import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasProgram } from '../../support/programs.ts';

const configPath = join(import.meta.dirname, '../../../config/alertmanager/alertmanager.yaml');

function receiversOf(...labels: readonly string[]): string {
  const args = ['config', 'routes', 'test', `--config.file=${configPath}`, ...labels];
  return execFileSync('amtool', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

it.runIf(hasProgram('amtool', 'prometheus-alertmanager')).each([
  { labels: ['alertname=CvmQuotaLow', 'severity=critical'], receiver: 'on-call' },
  { labels: ['alertname=CvmQuotaLow', 'severity=warning'], receiver: 'notifications' },
  { labels: ['alertname=CvmQuotaLimitLowered', 'severity=warning'], receiver: 'changes' },
  {
    labels: ['alertname=CvmLaunchTemplateDefaultVersionChanged', 'severity=warning'],
    receiver: 'changes',
  },
  { labels: ['alertname=CvmQuotaDisappeared', 'severity=warning'], receiver: 'changes' },
  { labels: ['alertname=CvmQuotaDisappeared', 'severity=critical'], receiver: 'on-call' },
  { labels: ['alertname=OfAnotherTeam'], receiver: 'notifications' },
])('the Alertmanager example sends $labels to $receiver', ({ labels, receiver }) => {
  expect(receiversOf(...labels).trim()).toBe(receiver);
});
