/** Every alert has a runbook in three parts, and every runbook an alert. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { links, repository } from '../../support/docs/markdown.ts';
import { runbooks } from '../../support/docs/runbooks.ts';

interface Rule {
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
  readonly annotations?: { readonly description: string };
}

interface RuleFile {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}

const rules: RuleFile = parse(
  readFileSync(join(repository, 'config/prometheus/rules.yaml'), 'utf8'),
  { merge: true },
);
const alerts = [
  ...new Set(rules.groups.flatMap((group) => group.rules.flatMap(({ alert }) => alert ?? []))),
];

test('there is a runbook for each alert, and for nothing else', () => {
  const files = readdirSync(runbooks).filter((name) => name.endsWith('.md'));

  expect(files.toSorted()).toEqual(alerts.map((alert) => `${alert}.md`).toSorted());
});

test.each(alerts)('the runbook of %s says what it means, what to check and what to do', (alert) => {
  const text = readFileSync(join(runbooks, `${alert}.md`), 'utf8');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);

  // Who is told of it has to act first.
  const parts = alert === 'CvmLaunchBlocked' ? ['Do', 'Check'] : ['Check', 'Do'];
  expect(headings).toEqual([alert, ...parts]);
});

/** What the console of the cloud does not mend: the daemon, its machine, its store. */
const notOfTheCloud = /Absent$|Clock|Cluster|Config|Cycles|State/;

test.each(alerts)(
  'the runbook of %s links to the page of the console that mends the cause, and has the commands for the log',
  (alert) => {
    const text = readFileSync(join(runbooks, `${alert}.md`), 'utf8');

    const pages = links(text).filter((target) => target.startsWith('https://console.'));
    expect(pages.length).toBe(notOfTheCloud.test(alert) ? 0 : 1);
    expect(text).toContain('`kubectl -n cvm-quota-monitor get pods`');
    expect(text).toContain('`kubectl -n cvm-quota-monitor logs deployment/cvm-quota-monitor`');
  },
);

test('docs/alerts.md lists every alert', () => {
  const listed = links(readFileSync(join(repository, 'docs/alerts.md'), 'utf8')).map((target) =>
    target.replace(/^.*\//, ''),
  );

  expect(listed).toEqual(expect.arrayContaining(alerts.map((alert) => `${alert}.md`)));
});

test.each(alerts)('the time that %s speaks of is the `for` of its rule', (alert) => {
  const own = rules.groups.flatMap((group) => group.rules).filter((rule) => rule.alert === alert);
  const runbook = readFileSync(join(runbooks, `${alert}.md`), 'utf8');
  const [meaning = ''] = runbook.split('\n## ');
  const texts = [meaning, ...own.map(({ annotations }) => annotations?.description)].join('\n');
  const said = [...texts.matchAll(/(?:\bFor|, for) (\d+) minutes/g)].map(
    ([, count]) => `${count}m`,
  );

  expect(own.map((rule) => rule.for)).toEqual(expect.arrayContaining(said));
});
