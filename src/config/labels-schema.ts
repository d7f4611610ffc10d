/** The schema of `labels` of an account, and the check that all accounts have labels of the same names. */
import { z } from 'zod';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { nonSecretText } from '../validation/text-schemas.ts';
import { looksLikeSecret } from '../validation/secret-like.ts';

/** Labels that no single kind of target defines. */
const commonLabels = [
  // Of the metrics of several kinds and of the daemon.
  ...['account', 'region', 'severity', 'type', 'direction', 'operation', 'code', 'kind', 'reason'],
  ...['part', 'revision', 'node_version'],
  // Of Prometheus and of its alerts.
  ...['alertname', 'alertstate', 'instance', 'job', 'pod', 'le', 'quantile'],
];

/** Labels that already have a meaning. Alerts join the labels of an account to a series, so they must not replace one. */
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
  });
}

/**
 * Adds an issue for each account whose labels have other names than those of the first account. Alerts join
 * the labels by name.
 *
 * @param accounts an account with a mistake comes unparsed: it may have no labels
 */
export function refuseDifferentLabelNames(
  accounts: readonly { readonly labels?: Readonly<Record<string, string>> }[],
  context: z.core.$RefinementCtx,
): void {
  const namesOfAccounts = accounts.map(({ labels }) =>
    Object.keys(labels ?? {})
      .toSorted()
      .join(', '),
  );
  const [expected = ''] = namesOfAccounts;
  for (const [i, names] of namesOfAccounts.entries()) {
    if (names === expected) continue;
    const message = `every account has the same labels; the first has ${expected === '' ? 'none' : expected}`;
    context.addIssue({ code: 'custom', path: [i, 'labels'], message });
  }
}
