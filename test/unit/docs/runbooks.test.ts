/** Every alert has a runbook in three parts, and every runbook an alert. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { links, repository } from '../../support/docs/markdown.ts';

interface RuleFile {
  readonly groups: readonly { readonly rules: readonly { readonly alert?: string }[] }[];
}

const directory = join(repository, 'docs/runbooks');
const rules: RuleFile = parse(
  readFileSync(join(repository, 'config/prometheus/rules.yaml'), 'utf8'),
  { merge: true },
);
const alerts = [
  ...new Set(rules.groups.flatMap((group) => group.rules.flatMap(({ alert }) => alert ?? []))),
];

test('there is a runbook for each alert, and for nothing else', () => {
  const files = readdirSync(directory).filter((name) => name.endsWith('.md'));

  expect(files.toSorted()).toEqual(alerts.map((alert) => `${alert}.md`).toSorted());
});

test.each(alerts)('the runbook of %s says what it means, what to check and what to do', (alert) => {
  const text = readFileSync(join(directory, `${alert}.md`), 'utf8');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);

  expect(headings).toEqual([alert, 'Check', 'Do']);
});

test('docs/alerts.md lists every alert', () => {
  const listed = links(readFileSync(join(repository, 'docs/alerts.md'), 'utf8')).map((target) =>
    target.replace(/^.*\//, ''),
  );

  expect(listed).toEqual(expect.arrayContaining(alerts.map((alert) => `${alert}.md`)));
});
