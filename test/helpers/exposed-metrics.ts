/** The metrics that the daemon exposes. Tests use it to find misspelt names. */
import type { Registry } from 'prom-client';
import { collectors } from '../../src/collectors/collectors.ts';
import { recordFamilies } from '../../src/expose/metrics/families.ts';
import { MonitorMetrics } from '../../src/expose/metrics/monitor-metrics.ts';

/** The registry of the daemon's own metrics. */
export function monitorRegistry(): Registry {
  const monitor = new MonitorMetrics({ version: '', revision: '' }, () => ({
    cyclesCompleted: 0,
    cyclesSkipped: {},
    lastCycleDurationMs: null,
    nextCycleMs: null,
    stateWriteFailures: 0,
    stateDamagedFiles: 0,
    lastReloadSuccessful: true,
    lastReloadSuccessMs: 0,
    webConfig: { lastReloadSuccessful: true, lastReloadSuccessMs: 0 },
  }));
  return monitor.registry;
}

/** The families of a daemon that shares accounts with others. */
const clusterMetrics = [
  'members',
  'cycles_taken_over_total',
  'store_up',
  'configurations',
  'oldest_waiting_cycle_timestamp_seconds',
].map((name) => `cvm_monitor_cluster_${name}`);

/** The names of all families of the exposition. */
export function exposedMetrics(): ReadonlySet<string> {
  return new Set([
    ...recordFamilies(collectors).map(({ name }) => name),
    ...monitorRegistry()
      .getMetricsAsArray()
      .map(({ name }) => name),
  ]);
}

/** The names of all families, with and without a cluster. */
export function knownMetrics(): ReadonlySet<string> {
  return new Set([...exposedMetrics(), ...clusterMetrics]);
}

/** The metrics in `text` (PromQL, or a file with PromQL) that the daemon does not expose. */
export function unknownMetrics(text: string): readonly string[] {
  const known = knownMetrics();
  const named = [...text.matchAll(/\b(?:cvm|process|nodejs)_\w+/g)].map(([name]) => name);
  return named.filter((name) => !known.has(name.replace(/_bucket$/, '')));
}
