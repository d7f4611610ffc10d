import type { Registry } from 'prom-client';
import type { MetricType } from '../../model/metric-family.ts';
import { headerText, labelText, sampleText, type ExpositionFormat } from './text-format.ts';

const types = new Map<string, MetricType>(
  (['gauge', 'counter', 'histogram', 'summary'] as const).map((type) => [type, type]),
);

/**
 * A prom-client registry as text. prom-client's own OpenMetrics rendering renames the counters of the
 * registry permanently, so it cannot serve one registry in both formats.
 */
export async function registryText(registry: Registry, format: ExpositionFormat): Promise<string> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics
    .map(({ name, help, type, values }) => {
      const header = headerText({ name, help, type: types.get(String(type)) ?? 'gauge' }, format);
      return header + values.map((value) => valueText(name, value)).join('');
    })
    .join('');
}

interface Value {
  readonly value: number;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly metricName?: string;
}

function valueText(name: string, { value, labels, metricName }: Value): string {
  const present = Object.fromEntries(
    Object.entries(labels).map(([key, label]) => [key, label ?? null]),
  );
  return sampleText(metricName ?? name, labelText(present), value);
}
