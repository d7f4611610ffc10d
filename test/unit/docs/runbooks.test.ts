/** Every alert has a runbook of the usual four parts, and every runbook an alert. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { links, repository } from '../../support/docs/markdown.ts';

interface RuleFile {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[];
}

const directory = join(repository, 'docs/runbooks');
const rules: RuleFile = parse(
  readFileSync(join(repository, 'config/prometheus/alerts.yaml'), 'utf8'),
);
const alerts = [...new Set(rules.groups.flatMap((group) => group.rules.map(({ alert }) => alert)))];

test('there is a runbook for each alert, and for nothing else', () => {
  const files = readdirSync(directory).filter((name) => name !== 'README.md');

  expect(files.toSorted()).toEqual(alerts.map((alert) => `${alert}.md`).toSorted());
});

test.each(alerts)('the runbook of %s says meaning, impact, diagnosis and mitigation', (alert) => {
  const text = readFileSync(join(directory, `${alert}.md`), 'utf8');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);

  expect(headings).toEqual([alert, 'Meaning', 'Impact', 'Diagnosis', 'Mitigation']);
});

test.each(['docs/alerts.md', 'docs/runbooks/README.md'])('%s lists every alert', (path) => {
  const listed = links(readFileSync(join(repository, path), 'utf8')).map((target) =>
    target.replace(/^.*\//, ''),
  );

  expect(listed).toEqual(expect.arrayContaining(alerts.map((alert) => `${alert}.md`)));
});
