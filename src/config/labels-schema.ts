/** The schema of `labels` of an account: further labels of all its series, none of which may replace a label of a series. */
import { z } from 'zod';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { always } from '../validation/always.ts';
import { nonSecretText } from '../validation/text-schemas.ts';
import { looksLikeSecret } from '../validation/secret-like.ts';

/** The reserved labels besides those that collectors declare in `families` and `resourceLabels`. */
const commonLabels = [
  // Of the metrics of several kinds and of the daemon.
  ...['account', 'region', 'severity', 'type', 'direction', 'operation', 'code', 'kind', 'reason'],
  ...['part', 'revision', 'node_version', 'status_page', 'runbooks'],
  // Of scaling groups, their activities, disks and placement groups.
  ...['scaling_group_id', 'scaling_group_name', 'launch_configuration_id', 'outcome', 'foretold'],
  ...['placement_group_id', 'disk_type', 'disk_usage', 'instance_family'],
  // Of Prometheus, of its targets, and of its alerts.
  ...['cluster', 'namespace', 'service', 'endpoint', 'pod', 'container', 'shard'],
  ...['instance', 'job', 'alertname', 'alertstate', 'change', 'le', 'quantile'],
];

/** Names that `labels` cannot have: a series of the account may already have a label of this name. */
export function reservedLabels({ all }: CollectorSet): ReadonlySet<string> {
  const ofKinds = all.flatMap(({ families, resourceLabels }) => [
    ...resourceLabels,
    ...families.flatMap(({ labels = [] }) => labels),
  ]);
  return new Set([...commonLabels, ...ofKinds]);
}

/** The mistake in the name of a label. `null` when it is valid. */
function nameProblem(name: string, reserved: ReadonlySet<string>): string | null {
  if (!/^[a-zA-Z_][a-zA-Z0-9_]{0,62}$/.test(name)) {
    return 'a label has up to 63 letters, digits and underscores, and does not begin with a digit';
  }
  if (looksLikeSecret(name)) return 'looks like a secret';
  if (name.startsWith('__')) return 'Prometheus removes labels that begin with __';
  if (name.startsWith('exported_')) return 'Prometheus renames labels of a series to exported_…';
  return reserved.has(name) ? 'this label has another meaning already' : null;
}

/** The schema of the labels of one account. */
export function labelsSchema(collectors: CollectorSet) {
  const reserved = reservedLabels(collectors);
  const value = nonSecretText(/^.{1,200}$/s, '1 to 200 characters');
  return z.record(z.string(), value).superRefine((labels, context) => {
    for (const name of Object.keys(labels)) {
      const message = nameProblem(name, reserved);
      if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
    }
    // `always`: a wrong value does not hide a wrong name.
  }, always);
}
