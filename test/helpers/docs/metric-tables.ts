/** The reference of the metrics, from the exposition of a monitor that has every family. */
import type { Registry } from 'prom-client';
import { clusterRegistry, exposedMetrics, monitorRegistry } from '../exposed-metrics.ts';
import {
  FakeMonitor,
  quota,
  quotas,
  quotaTarget,
  templateListTarget,
  templateTarget,
  versions,
} from '../fake-monitor.ts';
import { templateListSnapshot } from '../snapshots.ts';
import { table } from './markdown.ts';

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

export interface MetricTables {
  readonly quotas: string;
  readonly launchTemplates: string;
  readonly polls: string;
  readonly daemon: string;
  /** Exposed only with a cluster. */
  readonly cluster: string;
}

/** @throws when an exposed family is in no table */
export async function metricTables(): Promise<MetricTables> {
  const ofTargets = await metricsOfTargets();
  const ofDaemon = metricsIn(monitorRegistry());
  const listed = new Set([...ofTargets, ...ofDaemon].map(({ name }) => name));
  const missing = [...exposedMetrics()].filter((name) => isOurs(name) && !listed.has(name));
  if (missing.length > 0) throw new Error(`no sample shows the labels of ${missing.join(', ')}`);
  const isPoll = ({ name }: Metric) => name.startsWith('cvm_monitor_');
  const isTemplate = ({ name }: Metric) => name.startsWith('cvm_launch_template');
  return {
    quotas: tableOf(ofTargets.filter((metric) => !isPoll(metric) && !isTemplate(metric))),
    launchTemplates: tableOf(ofTargets.filter(isTemplate)),
    polls: tableOf(ofTargets.filter(isPoll)),
    daemon: tableOf(ofDaemon),
    cluster: tableOf(metricsIn(clusterRegistry())),
  };
}

const isOurs = (name: string) => name.startsWith('cvm_');

function tableOf(metrics: readonly Metric[]): string {
  return table(
    ['metric', 'type', 'labels', 'meaning'],
    metrics.map(({ name, type, labels, help }) => [`\`${name}\``, type, labels.join(', '), help]),
  );
}

/** The exposition of targets that had every kind of outcome. */
async function metricsOfTargets(): Promise<readonly Metric[]> {
  const quotaOnly = quotaTarget('production', 'ap-guangzhou');
  const row = { name: 'web', defaultVersion: 1, latestVersion: 2, versions: 2 };
  const template = {
    ...templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq'),
    listed: row,
  };
  const list = templateListTarget('production', 'ap-guangzhou');
  const monitor = new FakeMonitor(quotaOnly, list, template);
  const failed = { code: 'InternalError', message: '' };
  const levels = { host: 50, switch: 20, rack: 30 };
  monitor.poll(quotaOnly, failed);
  for (const limit of [300, 288]) {
    monitor.poll(quotaOnly, {
      ...quotas(quota({ used: 2, limit, onceLimit: 300 })),
      groupInstanceLimits: levels,
    });
  }
  monitor.poll(list, templateListSnapshot({ templates: [{ id: 'lt-b8v1kcyq', ...row }] }));
  monitor.poll(template, failed);
  monitor.poll(template, versions([1, 2], 1));
  monitor.poll(template, versions([1, 2], 2), [{ kind: 'invalid-row', detail: '' }]);
  return metricsOf(await monitor.metrics());
}

function metricsOf(exposition: string): readonly Metric[] {
  return [...exposition.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(
    ([, name = '', help = '', type = '']) => {
      const samples = exposition.matchAll(new RegExp(String.raw`^${name}\{(.*)\} `, 'gm'));
      const labels = [...samples].flatMap(([, text = '']) =>
        [...text.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
      );
      return { name, type, help, labels: [...new Set(labels)] };
    },
  );
}

function metricsIn(registry: Registry): readonly Metric[] {
  return registry
    .getMetricsAsArray()
    .filter(({ name }) => isOurs(name))
    .map((metric) => ({
      name: metric.name,
      type: String(metric.type),
      help: metric.help,
      labels: 'labelNames' in metric ? (metric.labelNames as readonly string[]) : [],
    }));
}
