/** Which metrics the daemon exposes, so that what reads them cannot misspell one. */
import { collectors } from '../../src/collectors/collectors.ts';
import { recordFamilies } from '../../src/expose/metrics/families.ts';
import { MonitorMetrics } from '../../src/expose/metrics/monitor-metrics.ts';

/** The names of all families of the exposition. */
function exposedMetrics(): ReadonlySet<string> {
  const monitor = new MonitorMetrics({ version: '', revision: '' }, () => ({
    cyclesCompleted: 0,
    cyclesSkipped: {},
    lastCycleDurationMs: null,
    nextCycleMs: null,
    stateWriteFailures: 0,
    stateDamagedFiles: 0,
    lastReloadSuccessful: true,
    lastReloadSuccessMs: 0,
  }));
  return new Set([
    ...recordFamilies(collectors).map(({ name }) => name),
    ...monitor.registry.getMetricsAsArray().map(({ name }) => name),
  ]);
}

/** The metrics named in `text` (PromQL, or a file of it) that the daemon does not expose. */
export function unknownMetrics(text: string): readonly string[] {
  const exposed = exposedMetrics();
  const named = [...text.matchAll(/\b(?:cvm|process|nodejs)_\w+/g)].map(([name]) => name);
  return named.filter((name) => !exposed.has(name.replace(/_bucket$/, '')));
}
