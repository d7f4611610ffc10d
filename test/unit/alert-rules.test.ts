import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { knownMetrics, unknownMetrics } from '../support/exposed-metrics.ts';
import { everyAlert, ruleCases, rulesPath } from '../support/prometheus/rule-cases.ts';

interface Rule {
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const rulesText = readFileSync(rulesPath, 'utf8');
const { groups }: { groups: readonly { readonly rules: readonly Rule[] }[] } = parse(rulesText, {
  merge: true,
});
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);
/** The alerts that a case with their labels expects. */
const firing = ruleCases.flatMap(({ expect: expected = [], text }) => [
  ...(text === undefined ? [] : [text.alert]),
  ...expected.flatMap(([, name, ...labels]) => (labels.length > 0 ? [name] : [])),
]);

it('the rules name only metrics that the daemon exposes', () => {
  // A pattern of several names stands as their common beginning.
  const known = [...knownMetrics()];
  const unknown = unknownMetrics(rulesText).filter(
    (name) => !name.endsWith('_') || !known.some((metric) => metric.startsWith(name)),
  );

  expect(unknown).toEqual([]);
});

it.each(alerts)(
  'the rule of $alert says how grave it is, what happened, and where to go',
  ({ alert, annotations, expr, labels }) => {
    // Else the expression gives it.
    if (!expr.includes('severity')) expect(labels?.severity).toMatch(/^(warning|critical)$/);
    expect(annotations?.summary).toBeTruthy();
    expect(annotations?.runbook_url).toContain(`/${alert}.md`);
  },
);

it.each(alerts)('a case of the rules lets $alert fire', ({ alert = '' }) => {
  expect([...everyAlert.map((each) => each.alert), ...firing]).toContain(alert);
});
