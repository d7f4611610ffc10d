/** The schema of the labels of accounts. */
import { z } from 'zod';
import { looksLikeSecret } from './secret-like.ts';

/**
 * Labels of the monitor's metrics, of Prometheus, and of its alerts. A label of an account joins them in
 * alerts, so it must not replace one.
 */
export const reservedLabels: ReadonlySet<string> = new Set([
  'account',
  'region',
  'zone',
  'quota_type',
  'unit',
  'severity',
  'type',
  'direction',
  'level',
  'app_id',
  'template_id',
  'template_name',
  'subnet_id',
  'version',
  'revision',
  'node_version',
  'image_id',
  'instance_type',
  'charge_type',
  'operation',
  'code',
  'kind',
  'reason',
  'part',
  'alertname',
  'alertstate',
  'instance',
  'job',
  'pod',
  'le',
  'quantile',
]);

const nameProblem = (name: string): string | null => {
  if (!/^[a-zA-Z_][a-zA-Z0-9_]{0,62}$/.test(name)) {
    return 'a label has up to 63 letters, digits and underscores, and does not begin with a digit';
  }
  if (looksLikeSecret(name)) return 'looks like a secret';
  if (name.startsWith('__')) return 'Prometheus removes labels that begin with __';
  return reservedLabels.has(name) ? 'this label has another meaning already' : null;
};

export const labelsSchema = z
  .record(
    z.string(),
    z
      .string()
      .min(1, { error: 'must not be empty' })
      .max(200, { error: 'must have at most 200 characters' })
      .refine((value) => !looksLikeSecret(value), {
        error: 'looks like a secret: this value is shown everywhere',
      }),
  )
  .superRefine((labels, context) => {
    for (const name of Object.keys(labels)) {
      const message = nameProblem(name);
      if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
    }
  });

/**
 * Adds an issue for each account whose labels have other names than those of the first account. Alerts join
 * the labels by name.
 *
 * @param accounts an account with a mistake is as in the file: it may have no labels
 */
export function refuseOtherLabels(
  accounts: readonly { readonly labels?: Readonly<Record<string, string>> }[],
  context: z.core.$RefinementCtx,
): void {
  const namesOf = (account: (typeof accounts)[number] | undefined) =>
    Object.keys(account?.labels ?? {})
      .toSorted()
      .join(', ');
  const expected = namesOf(accounts[0]);
  for (const [i, account] of accounts.entries()) {
    if (namesOf(account) === expected) continue;
    const message = `every account has the same labels; the first has ${expected === '' ? 'none' : expected}`;
    context.addIssue({ code: 'custom', path: [i, 'labels'], message });
  }
}
