/** What the dashboard shows of several daemons that share accounts: the same as of one. */
import { expect, it } from 'vitest';
import { clusterMetrics, dashboardQueries } from '../support/dashboard-queries.ts';
import { temporaryDirectory, temporaryFile } from '../support/directories.ts';
import {
  changeEverything,
  hasMonitoring,
  startMonitoring,
} from '../support/prometheus/monitoring.ts';
import { type Series, PrometheusApi } from '../support/prometheus/prometheus-api.ts';
import { startPrometheus } from '../support/prometheus/servers.ts';
import { runProgram } from '../support/run-program.ts';

/** Starts it with series of range vectors. Their times stay the same. */
async function startWithSeries(series: readonly Series[]): Promise<PrometheusApi> {
  const directory = await temporaryDirectory();
  const lines = series.flatMap(({ metric: { __name__: name, ...labels }, values }) => {
    const pairs = Object.entries(labels).map(
      ([label, value]) => `${label}=${JSON.stringify(value)}`,
    );
    return values.map(([seconds, value]) => `${name}{${pairs.join()}} ${value} ${seconds}`);
  });
  const samples = await temporaryFile('samples', [...lines, '# EOF\n'].join('\n'));
  await runProgram('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', samples, directory]);
  const config = await temporaryFile('prometheus.yaml', '{}');
  return new PrometheusApi(await startPrometheus(config, directory));
}

/** The rows that a query shows, as texts. Those of the second daemon itself are left out. */
function rows(answer: readonly Series[], scale: (labels: Series['metric']) => number): string[] {
  return answer
    .filter(({ metric }) => metric.instance !== 'twin')
    .map(({ metric, value: [, value] }) => {
      const number = Number(value) * scale(metric);
      return `${JSON.stringify(metric)} ${number.toPrecision(9)}`;
    })
    .toSorted((a, b) => a.localeCompare(b));
}

it.runIf(hasMonitoring)(
  'the dashboard answers every query, and shows one row for each quota, template and target of two daemons, with the same value',
  async () => {
    // How long a condition may take to come true on a machine that has other work.
    const patience = { timeout: 80_000, interval: 500 };
    const { emulator, prometheus } = await startMonitoring();
    const scrapes = async () => (await prometheus.numbers('max(count_over_time(up[1h]))'))[0];
    const limits = 'sum(cvm_quota_limit_changes_total)';
    await expect.poll(scrapes, patience).toBeGreaterThan(10);
    changeEverything(emulator);
    await expect.poll(() => prometheus.numbers(limits), patience).toEqual([1]);
    await expect.poll(scrapes, patience).toBeGreaterThan(24);

    const nowSeconds = Date.now() / 1_000;
    const selectors = [
      '{job="cvm-quota-monitor",__name__!~"ALERTS.*"}[1h]',
      '{__name__=~"ALERTS.*"}[1h]',
    ];
    const answers = await Promise.all(
      selectors.map((selector) => prometheus.query(selector, nowSeconds)),
    );
    // As if they had been taken 180 times as slowly: queries look back an hour.
    const taken = answers.flat().map((each) => ({
      ...each,
      values: each.values.map(
        ([seconds, value]) => [nowSeconds - 180 * (nowSeconds - seconds), value] as const,
      ),
    }));
    // The series of the daemon, once more as those of a second daemon in another pod.
    const twins = taken
      .filter(
        ({ metric }) => metric.instance !== undefined && !metric.__name__?.startsWith('ALERTS'),
      )
      .map((each) => ({ ...each, metric: { ...each.metric, instance: 'twin', pod: 'twin' } }));
    const one = await startWithSeries(taken);
    const two = await startWithSeries([...taken, ...twins]);

    for (const { kind, name, expr } of await dashboardQueries()) {
      // One daemon alone has none of them. Their queries must only not fail.
      if (expr.includes(clusterMetrics)) {
        await one.query(expr, nowSeconds);
        continue;
      }
      // A counter of the process, summed over all daemons. Two that count the same have twice as much.
      const isSum = /^sum.*\bcvm_monitor_\w+_total/.test(expr);
      const factor = ({ instance }: Series['metric']) => (isSum && instance === undefined ? 2 : 1);
      const ofOne = rows(await one.query(expr, nowSeconds), factor);
      const ofTwo = rows(await two.query(expr, nowSeconds), () => 1);
      expect(
        ofOne.filter((row) => !row.endsWith(' NaN')),
        name,
      ).not.toEqual([]);
      expect(ofTwo, `${kind} ${name}: ${expr}`).toEqual(ofOne);
    }
  },
);
