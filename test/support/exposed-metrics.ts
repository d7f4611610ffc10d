/** The metrics that the daemon exposes. Tests use it to find misspelt names. */
import { Registry } from 'prom-client';
import { collectors } from '../../src/collectors/collectors.ts';
import { registerCluster } from '../../src/expose/metrics/cluster-metrics.ts';
import { recordFamilies } from '../../src/expose/metrics/families.ts';
import { launchFamilies } from '../../src/expose/metrics/launch-families.ts';
import { MonitorMetrics } from '../../src/expose/metrics/monitor-metrics.ts';
import { accountInfo } from '../../src/expose/metrics/record-texts.ts';
import { clusterStatus } from './cluster-status.ts';

/** The registry of the daemon's own metrics. */
export function monitorRegistry(): Registry {
  const monitor = new MonitorMetrics({ version: '', revision: '' }, () => ({
    cycles: new Map(),
    nextCycleMs: null,
    storage: { failures: 0, damaged: 0, unwritten: 0 },
    leftOut: new Map(),
    lastReloadSuccessful: true,
    lastReloadSuccessMs: 0,
    webConfig: { lastReloadSuccessful: true, lastReloadSuccessMs: 0 },
  }));
  return monitor.registry;
}

/** The registry of the metrics of a daemon that shares its accounts. */
export function clusterRegistry(): Registry {
  const registry = new Registry();
  registerCluster(registry, () => clusterStatus());
  return registry;
}

/** The names of all families of the exposition. */
function exposedMetrics(): ReadonlySet<string> {
  return new Set([
    accountInfo.name,
    ...recordFamilies(collectors).map(({ name }) => name),
    ...launchFamilies.map(({ name }) => name),
    ...monitorRegistry()
      .getMetricsAsArray()
      .map(({ name }) => name),
  ]);
}

/** The names of all families, with and without a cluster. */
export function knownMetrics(): ReadonlySet<string> {
  const ofCluster = clusterRegistry().getMetricsAsArray();
  return new Set([...exposedMetrics(), ...ofCluster.map(({ name }) => name)]);
}

/** The family of a series: a histogram has three. */
export const familyOf = (series: string) => series.replace(/_(bucket|sum|count)$/, '');

/** The metrics in `text` (PromQL, or a file with PromQL) that the daemon does not expose. */
export function unknownMetrics(text: string): readonly string[] {
  const known = knownMetrics();
  const named = [...text.matchAll(/\b(?:cvm|process|nodejs)_\w+/g)].map(([name]) => name);
  return named.filter((name) => !known.has(familyOf(name)));
}
