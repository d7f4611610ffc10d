/** A real Prometheus and a real Alertmanager with the shipped configuration, whose times are shorter. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { clusterMetrics } from '../support/dashboard-queries.ts';
import { commands, paths, queries } from '../support/docs/runbooks.ts';
import { mainFile, startProgram } from '../support/program.ts';
import {
  account,
  changeEverything,
  region,
  hasMonitoring,
  startAlerting,
  startMonitoring,
  templateId,
  zone,
} from '../support/prometheus/monitoring.ts';
import type { PrometheusApi } from '../support/prometheus/prometheus-api.ts';
import { serveMetrics, type WebhookReceiver } from '../support/prometheus/servers.ts';

/** How long a condition may take to come true on a machine that has other work. */
const patience = { timeout: 80_000, interval: 500 };
const scraped = 'job="cvm-quota-monitor"';
const template = `account="${account}",region="${region}",template_id="${templateId}"`;
const changes = `cvm_launch_template_default_version_changes_total{${scraped},${template}}`;

/** Counts of samples that Prometheus did not take, by what it says of itself. */
async function rejected(prometheus: PrometheusApi): Promise<Record<string, number | undefined>> {
  const metrics = await prometheus.ownMetrics();
  return Object.fromEntries(
    ['sample_duplicate_timestamp', 'sample_out_of_order', 'sample_out_of_bounds'].map((reason) => [
      reason,
      metrics.value(`prometheus_target_scrapes_${reason}_total`),
    ]),
  );
}

/** The queries that fail, or answer with no series or with no number. Those of a cluster must only not fail. */
async function unanswered(
  prometheus: PrometheusApi,
  queries: readonly { readonly name: string; readonly expr: string }[],
): Promise<readonly string[]> {
  const verdicts = await Promise.all(
    queries.map(async ({ name, expr }) => {
      try {
        const numbers = await prometheus.numbers(expr);
        const isAnswered = numbers.some((number) => !Number.isNaN(number));
        return isAnswered || expr.includes(clusterMetrics) ? [] : [`${name}: ${expr}`];
      } catch (error) {
        return [`${name}: ${String(error)}`];
      }
    }),
  );
  return verdicts.flat();
}

const told = (receiver: WebhookReceiver, alertname: string) =>
  receiver.of(alertname).map(({ receiver: name, status }) => `${name} ${status}`);

it.runIf(hasMonitoring)(
  'Prometheus with the shipped configuration scrapes the daemon and takes every sample',
  async () => {
    const { address, prometheus } = await startMonitoring();
    const counts = (what: string) => `scrape_samples_${what}{${scraped}}`;
    const scrapes = async () =>
      (await prometheus.query(`${counts('scraped')}[1h]`))[0]?.values ?? [];

    await expect.poll(async () => (await scrapes()).length, patience).toBeGreaterThanOrEqual(3);

    const [lastSeconds, lastCount] = (await scrapes()).at(-1)!;
    const stored = `count({__name__=~"(cvm|process|nodejs)_.+",${scraped},instance="${address}"})`;
    for (const expr of [counts('post_metric_relabeling'), stored]) {
      expect(await prometheus.numbers(expr, lastSeconds)).toEqual([Number(lastCount)]);
    }
    expect(await prometheus.numbers(`up{${scraped}}`)).toEqual([1]);
    expect(await rejected(prometheus)).toEqual({
      sample_duplicate_timestamp: 0,
      sample_out_of_order: 0,
      sample_out_of_bounds: 0,
    });
  },
);

it.runIf(hasMonitoring)(
  'Prometheus with the shipped configuration tells receivers of a quota below its threshold, then exhausted, and that it has recovered',
  async () => {
    const { emulator, prometheus, receiver } = await startMonitoring();
    const quota = { region, zone, quota_type: 'postpaid' } as const;
    const remaining = `cvm_quota_remaining{zone="${zone}",quota_type="postpaid"}`;
    await expect.poll(() => prometheus.numbers(remaining), patience).toEqual([90]);

    emulator.do({ do: 'set-used', ...quota, used: 85 });
    await expect
      .poll(() => told(receiver, 'CvmQuotaLow'), patience)
      .toEqual(['notifications firing']);
    emulator.do({ do: 'set-used', ...quota, used: 100 });
    await expect
      .poll(() => told(receiver, 'CvmQuotaExhausted'), patience)
      .toEqual(['on-call firing']);
    emulator.do({ do: 'set-used', ...quota, used: 10 });
    await expect
      .poll(() => told(receiver, 'CvmQuotaExhausted'), patience)
      .toEqual(['on-call firing', 'on-call resolved']);

    const [notification] = receiver.of('CvmQuotaExhausted');
    expect(notification?.labels).toMatchObject({
      account,
      region,
      zone,
      quota_type: 'postpaid',
      severity: 'critical',
      team: 'payments',
    });
    expect(notification?.annotations).toMatchObject({
      summary: `The postpaid quota is exhausted in ${zone} of account ${account}`,
      runbook_url: expect.stringMatching(/\/docs\/runbooks\/CvmQuotaExhausted\.md$/) as unknown,
      status_page: `https://quota.example.com/?account=${account}&region=${region}&quota_type=postpaid`,
    });
    expect(await prometheus.numbers(remaining)).toEqual([90]);
  },
);

it.runIf(hasMonitoring)(
  'Prometheus with the shipped configuration sees a default version that changed while the daemon was down exactly once',
  async () => {
    const { emulator, prometheus, receiver, daemon } = await startMonitoring();
    const alertname = 'CvmLaunchTemplateDefaultVersionChanged';
    await expect.poll(() => prometheus.numbers(changes), patience).toEqual([0]);

    // On a busy machine, scrapes come late, and the alert may also fire while the daemon runs.
    const absent = () => told(receiver, 'CvmMonitorAbsent').at(-1);
    await daemon.stop('SIGKILL');
    await expect.poll(absent, patience).toBe('on-call firing');
    emulator.do({ do: 'set-default-version', region, template_id: templateId, version: 2 });
    daemon.spawn();
    await expect
      .poll(() => prometheus.numbers(`round(increase(${changes}[1h]))`), patience)
      .toEqual([1]);
    await expect.poll(() => told(receiver, alertname), patience).toEqual(['changes firing']);

    // A later event passes the same chain, and takes longer than a repetition of the first would.
    emulator.do({ do: 'set-limit', region, zone, quota_type: 'postpaid', limit: 90 });
    await expect
      .poll(() => told(receiver, 'CvmQuotaLimitLowered'), patience)
      .toEqual(['changes firing']);
    expect(told(receiver, alertname)).toEqual(['changes firing']);
    await expect.poll(absent, patience).toBe('on-call resolved');
    expect(receiver.of(alertname)[0]?.annotations.description).toContain('version 2');
    expect(await prometheus.numbers(`max_over_time(${changes}[1h])`)).toEqual([1]);
    expect(await prometheus.numbers(`resets(${changes}[1h])`)).toEqual([0]);
  },
);

it.runIf(hasMonitoring)(
  'Prometheus with the shipped configuration answers every query of the runbooks, the daemon every path, and every command runs',
  async () => {
    const { emulator, prometheus, daemon } = await startMonitoring();
    const exitCode = async (command: string) => {
      const args = [mainFile, ...command.split(' ').slice(1)];
      const options = { directory: daemon.directory };
      return (await startProgram(process.execPath, args, process.env, options).result).code;
    };
    const asked = queries.map(({ alert, code }) => ({
      name: alert,
      expr: code.replace('NAME', account),
    }));
    await writeFile(join(daemon.directory, 'web.yaml'), '');

    changeEverything(emulator);

    // These have series only while their alert fires.
    await expect
      .poll(() => unanswered(prometheus, asked), patience)
      .toEqual([
        expect.stringContaining('cvm_monitor_credentials_expiry_timestamp_seconds - time() < 240'),
        expect.stringContaining('cvm_monitor_regions_left_out'),
      ]);
    for (const { code } of paths) expect((await daemon.get(code)).status).toBe(200);
    for (const { code } of commands) {
      // The verdict of `check` is critical.
      expect([code, await exitCode(code)]).toEqual([code, code.includes(' check ') ? 2 : 0]);
    }
  },
);

/** What a daemon would expose whose key is refused, and members of a cluster whose store is down; or neither. */
function outage(state: 'down' | 'polling' | 'fine'): string {
  const target = (namespace: string) =>
    `namespace="${namespace}",account="a",region="r",operation="o",team="payments"`;
  const up = (namespace: string, isUp: boolean) =>
    isUp
      ? `cvm_monitor_target_up{${target(namespace)}} 1\ncvm_monitor_target_incomplete{${target(namespace)}} 0\n`
      : `cvm_monitor_target_up{${target(namespace)}} 0\n`;
  const since = `${target('key')},code="AuthFailure.SecretIdNotFound"} ${Date.now() / 1_000 - 900}`;
  return [
    up('key', state !== 'down'),
    up('store', state === 'fine'),
    `cvm_monitor_cluster_store_up{namespace="store"} ${state === 'down' ? 0 : 1}\n`,
    state === 'down' ? `cvm_monitor_target_failing_since_timestamp_seconds{${since}\n` : '',
  ].join('');
}

it.runIf(hasMonitoring)(
  'Prometheus and Alertmanager page refused credentials and a store that is down, and no stale target when they have recovered',
  async () => {
    let state: Parameters<typeof outage>[0] = 'down';
    const daemon = await serveMetrics(() => outage(state));
    const { prometheus, receiver } = await startAlerting(daemon);
    const stale = 'count(ALERTS{alertname="CvmMonitorTargetStale",alertstate="firing"})';
    const explanations = ['CvmMonitorCredentialsRefused', 'CvmMonitorClusterStoreDown'];
    const toldOfAll = () => explanations.map((alertname) => told(receiver, alertname));

    await expect.poll(() => prometheus.numbers(stale), patience).toEqual([2]);
    state = 'polling';
    await delay(3_000);
    state = 'fine';

    const both = ['on-call firing', 'on-call resolved'];
    await expect.poll(toldOfAll, patience).toEqual([both, both]);
    await expect.poll(() => prometheus.numbers(stale), patience).toEqual([]);
    expect(told(receiver, 'CvmMonitorTargetStale')).toEqual([]);
  },
);

it.runIf(hasMonitoring)(
  'Prometheus and Alertmanager page two installations whose targets, configuration and ruler have labels of the same names',
  async () => {
    let env = 'old';
    const exposition = (page: string) =>
      [
        `cvm_quota_severity{account="a",region="r",zone="z",quota_type="postpaid",unit="instances",team="payments",env="${env}",severity="critical",reason="exhausted"} 1`,
        `cvm_launch_severity{account="a",region="r",zone="y",template_id="t",instance_type="i",charge_type="postpaid",team="payments",env="${env}",reason="sold-out",severity="critical"} 1`,
        `cvm_monitor_links_info{status_page="${page}",runbooks="http://books"} 1`,
        '',
      ].join('\n');
    const [one, two] = await Promise.all(
      ['http://one', 'http://two'].map((page) => serveMetrics(() => exposition(page))),
    );
    const { receiver } = await startAlerting(one!, (text) =>
      text
        .replace('global:', 'global:\n  external_labels: { team: all, zone: none, region: eu }')
        .replace(
          'alerting:',
          `alerting:\n  alert_relabel_configs: [{ target_label: tenant, replacement: blue }]`,
        )
        .concat(
          `    static_configs: [{ targets: ['${two}'], labels: { team: metal, zone: rack, account: rack, site: north } }]\n`,
        ),
    );
    const sent = (alertname: string) =>
      new Set(receiver.of(alertname).map(({ labels }) => `${labels.account} ${labels.env}`));

    for (const alertname of ['CvmQuotaExhausted', 'CvmLaunchBlocked']) {
      await expect.poll(() => sent(alertname), patience).toEqual(new Set(['a old', 'rack old']));
    }
    env = 'new';
    for (const alertname of ['CvmQuotaExhausted', 'CvmLaunchBlocked']) {
      await expect
        .poll(() => sent(alertname), patience)
        .toEqual(new Set(['a old', 'rack old', 'a new', 'rack new']));
    }
  },
);
