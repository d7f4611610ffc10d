import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { unknownMetrics } from '../support/exposed-metrics.ts';
import { ruleCases, rulesPath } from '../support/prometheus/rule-cases.ts';

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

it('the rules are one group, so that an alert reads no record of an earlier evaluation', () => {
  expect(groups).toHaveLength(1);
});

it('the rules name only metrics that the daemon exposes', () => {
  expect(unknownMetrics(rulesText)).toEqual([]);
});

it.each(alerts)(
  'the rule of $alert says how grave it is, what happened, and asks for nothing',
  (rule) => {
    expect(rule.labels?.severity).toMatch(/^(warning|critical)$/);
    expect(rule.annotations?.summary).toBeTruthy();
    expect(rule.annotations?.description).toBeTruthy();
    expect(rule.annotations?.runbook_url).toBe(`{{ $labels.runbooks }}/${rule.alert}.md`);
    expect(rule.annotations?.status_page).toContain('{{ $labels.status_page }}/');
    expect(JSON.stringify([rule.labels, rule.annotations])).not.toContain('query');
  },
);

it.each(alerts)('a case of the rules lets $alert fire', ({ alert = '' }) => {
  const fires = ruleCases.some(
    ({ expect: expected = [], text }) =>
      text?.alert === alert ||
      expected.some(([, name, ...labels]) => name === alert && labels.length > 0),
  );

  expect(fires).toBe(true);
});
