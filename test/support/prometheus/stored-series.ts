/** A Prometheus that scrapes nothing. It has the samples that another one took. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '../directories.ts';
import { runProgram } from '../run-program.ts';
import { PrometheusApi, type Series } from './prometheus-api.ts';
import { startPrometheus } from './server-process.ts';

/** Starts it with series of range vectors. Their times stay the same. */
export async function startWithSeries(series: readonly Series[]): Promise<PrometheusApi> {
  const directory = await temporaryDirectory();
  const [samples, blocks, config] = ['samples', 'blocks', 'prometheus.yaml'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  await writeFile(samples, openMetricsOf(series));
  await writeFile(config, '{}');
  await runProgram('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', samples, blocks]);
  return new PrometheusApi(await startPrometheus(config, blocks));
}

/** The samples as if they had been taken more slowly, by this factor, up to the same end. */
export function stretched(
  series: readonly Series[],
  endSeconds: number,
  factor: number,
): readonly Series[] {
  return series.map((each) => ({
    ...each,
    values: each.values.map(
      ([seconds, value]) => [endSeconds - factor * (endSeconds - seconds), value] as const,
    ),
  }));
}

/** The series of one daemon, once more as those of a second daemon in another pod. */
export function twinsOf(series: readonly Series[]): readonly Series[] {
  return series
    .filter(({ metric }) => metric.instance !== undefined && metric.__name__ !== 'ALERTS')
    .map((each) => ({ ...each, metric: { ...each.metric, instance: 'twin', pod: 'twin' } }));
}

function openMetricsOf(series: readonly Series[]): string {
  const lines = series.flatMap(({ metric: { __name__: name, ...labels }, values }) => {
    const pairs = Object.entries(labels).map(
      ([label, value]) => `${label}=${JSON.stringify(value)}`,
    );
    return values.map(([seconds, value]) => `${name}{${pairs.join()}} ${value} ${seconds}`);
  });
  return [...lines, '# EOF\n'].join('\n');
}
