/** 10,000 targets in a real Prometheus with the shipped rules, of which 1,000 alerts fire. */
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { hasProgram } from '../support/programs.ts';
import { prometheusConfig } from '../support/prometheus/monitoring.ts';
import { PrometheusApi } from '../support/prometheus/prometheus-api.ts';
import { listenLocally, serveMetrics, startPrometheus } from '../support/prometheus/servers.ts';

/** Starts Prometheus with the shipped rules and interval, and with what a daemon exposes. */
async function start(exposition: string): Promise<PrometheusApi> {
  const daemon = await serveMetrics(() => exposition);
  const alertmanager = await listenLocally((_, response) => void response.end());
  const config = await prometheusConfig({ daemon, alertmanager });
  const text = await readFile(config, 'utf8');
  await writeFile(config, text.replaceAll(/_interval: 1s/g, '_interval: 30s'));
  return new PrometheusApi(await startPrometheus(config));
}

const targets = Array.from({ length: 10_000 }, (_, n) => ({
  n,
  labels: `account="a${n % 500}",region="r${Math.floor(n / 500)}",team="payments"`,
}));

const quotasOf = (labels: string) =>
  Array.from(
    { length: 5 },
    (_, i) => `${labels},zone="z${i}",quota_type="postpaid",unit="instances"`,
  );

/** The time of processors that Prometheus has used, in seconds. Other work of the machine does not change it. */
async function cpuSeconds(prometheus: PrometheusApi): Promise<number> {
  return (await prometheus.ownMetrics()).sum('process_cpu_seconds_total');
}

it.runIf(hasProgram('prometheus', 'prometheus'))(
  'an evaluation of 10,000 targets with five quotas each takes less than 6 s on two cores while 500 targets are stale, and a quota of 500 others is exhausted',
  { timeout: 400_000 },
  async () => {
    const isStale = (n: number) => n < 500;
    const isExhausted = (n: number) => n >= 500 && n < 1_000;
    const lines = targets.flatMap(({ labels, n }) => {
      const target = `${labels},operation="o"`;
      return [
        `cvm_monitor_target_up{${target}} ${isStale(n) ? 0 : 1}`,
        `cvm_monitor_target_last_success_timestamp_seconds{${target}} 1`,
        ...(isStale(n) ? [] : [`cvm_monitor_target_incomplete{${target}} 0`]),
        `cvm_launch_templates_deleted_total{${labels}} 0`,
        ...quotasOf(labels).flatMap((quota) => [
          `cvm_quota_used{${quota}} 10`,
          `cvm_quota_remaining{${quota}} 90`,
          `cvm_quota_limit{${quota}} 100`,
          `cvm_quota_remaining_threshold{${quota},severity="warning"} 20`,
          `cvm_quota_remaining_threshold{${quota},severity="critical"} 10`,
        ]),
        ...quotasOf(labels)
          .slice(0, isExhausted(n) ? 1 : 0)
          .map((quota) => `cvm_quota_severity{${quota},severity="critical",reason="exhausted"} 1`),
      ];
    });
    const accounts = Array.from({ length: 500 }, (_account, n) => [
      `cvm_monitor_account_info{account="a${n}",team="payments"} 1`,
      `cvm_monitor_cycles_total{account="a${n}",team="payments"} 1`,
    ]);
    const links = 'cvm_monitor_links_info{status_page="http://page",runbooks="http://books"} 1';
    const prometheus = await start([...lines, ...accounts.flat(), links, ''].join('\n'));

    const firing =
      'count by (alertname) (ALERTS{alertname=~"CvmQuotaExhausted|CvmMonitorTargetStale",alertstate="firing"})';
    const patience = { timeout: 300_000, interval: 5_000 };
    await expect.poll(() => prometheus.numbers(firing), patience).toEqual([500, 500]);

    // Two evaluations, each with the texts of all alerts, and the scrapes of half a million samples beside them.
    const before = await cpuSeconds(prometheus);
    await delay(60_000);
    const each = ((await cpuSeconds(prometheus)) - before) / 2;
    expect(each).toBeGreaterThan(0);
    expect(each).toBeLessThan(2 * 6);
  },
);
