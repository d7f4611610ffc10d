/** The metrics that the daemon exposes. Tests use it to find misspelt names. */
import { collectors } from '../../src/collectors/collectors.ts';
import {
  apiFamilies,
  createProcessMetrics,
  clusterFamilies,
  programFamilies,
  statusFamilies,
} from '../../src/expose/metrics/monitor-metrics.ts';
import { freshnessFamilies, quotaFamilies } from '../../src/expose/metrics/record-families.ts';
import { launchFamilies, groupFamilies } from '../../src/expose/metrics/launch-families.ts';
import { accountInfo } from '../../src/expose/metrics/record-samples.ts';

/** No account has a client, and no request was sent. */
export const noClients = {
  requests: [],
  rates: [],
  clockSkews: [],
  credentialsExpiries: [],
  credentialsFailures: [],
};

/** The names of all families, with and without a cluster. */
export function knownMetrics(): ReadonlySet<string> {
  const families = [
    accountInfo,
    ...quotaFamilies(collectors),
    ...collectors.all.flatMap((collector) => collector.families),
    ...freshnessFamilies,
    ...launchFamilies,
    ...groupFamilies,
    ...[...programFamilies, ...statusFamilies, ...apiFamilies],
    ...clusterFamilies,
    ...createProcessMetrics().registry.getMetricsAsArray(),
  ];
  return new Set(families.map(({ name }) => name));
}

/** The family of a series: a histogram has three. */
export const familyOf = (series: string) => series.replace(/_(bucket|sum|count)$/, '');

/** The metrics in `text` (PromQL, or a file with PromQL) that the daemon does not expose. */
export function unknownMetrics(text: string): readonly string[] {
  const known = knownMetrics();
  const named = [...text.matchAll(/\b(?:cvm|process|nodejs)_\w+/g)].map(([name]) => name);
  return named.filter((name) => !known.has(familyOf(name)));
}
