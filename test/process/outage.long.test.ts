/** An outage with 10,000 failing targets, of few and of many accounts, in a real Prometheus with the shipped rules. */
import { expect, it } from 'vitest';
import { hasProgram } from '../support/programs.ts';
import { prometheusConfig } from '../support/prometheus/monitoring.ts';
import { PrometheusApi } from '../support/prometheus/prometheus-api.ts';
import { listenLocally, startPrometheus } from '../support/prometheus/servers.ts';

it.runIf(hasProgram('prometheus', 'prometheus')).each([
  [100, 100],
  [1_000, 10],
  [3_334, 3],
])(
  'an outage of %i accounts with %i targets each is one alert of each kind',
  { timeout: 240_000 },
  async (accounts, each) => {
    // What a daemon exposes when no target has succeeded for two hours.
    const exposition = (nowSeconds: number) =>
      Array.from({ length: accounts }, (_account, n) => [
        `cvm_monitor_account_info{account="a${n}",team="payments"} 1\n`,
        ...Array.from({ length: each }, (_target, region) => {
          const labels = `account="a${n}",region="r${region}"`;
          const target = `${labels},operation="o"`;
          const code = 'code="AuthFailure.SecretIdNotFound"';
          return [
            `cvm_monitor_target_up{${target}} 0\n`,
            `cvm_monitor_target_failing_since_timestamp_seconds{${target},${code}} ${nowSeconds - 7_000}\n`,
            `cvm_monitor_target_last_poll_timestamp_seconds{${target}} ${nowSeconds}\n`,
            `cvm_monitor_target_last_success_timestamp_seconds{${target}} ${nowSeconds - 7_200}\n`,
            `cvm_launch_unknown{${labels},zone="z",instance_type="t",charge_type="c",part="stock"} 1\n`,
          ];
        }),
      ])
        .flat(2)
        .join('');
    const daemon = await listenLocally((_, response) =>
      response.end(exposition(Date.now() / 1_000)),
    );
    const config = await prometheusConfig({ daemon, alertmanager: daemon });
    const prometheus = new PrometheusApi(await startPrometheus(config));

    const alerts = async () => {
      const series = await prometheus.query(
        'count by (alertname, alertstate, account, region) (ALERTS)',
      );
      return series
        .map(({ metric, value: [, count] }) => ({ ...metric, count }))
        .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
    };

    await expect
      .poll(alerts, { timeout: 200_000, interval: 1_000 })
      .toEqual(
        [
          'CvmLaunchUnknown',
          'CvmMonitorCredentialsRefused',
          'CvmMonitorTargetFailing',
          'CvmMonitorTargetStale',
        ].map((alertname) => ({ alertname, alertstate: 'firing', count: '1' })),
      );
  },
);
