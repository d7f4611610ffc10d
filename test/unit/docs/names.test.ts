/** What the documentation names is there: files, metrics, keys, flags, log lines, and the tests of promises. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '../../../src/commands/program.ts';
import { readPages, repository } from '../../support/docs/markdown.ts';
import { configurationKeys } from '../../support/docs/reference.ts';
import { familyOf, knownMetrics } from '../../support/exposed-metrics.ts';

const pages = readPages();
const read = (path: string) => readFileSync(join(repository, path), 'utf8');

/** The inline code of a page. */
const codeOf = (text: string) =>
  [...text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);

test.each(pages)('the files that $path names exist', ({ text }) => {
  const paths = codeOf(text).filter((code) =>
    /^(src|test|config|docs|\.ci|\.config)\/[\w./-]+$/.test(code),
  );

  expect(paths.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
});

test.each(pages)('the metrics that $path names are exposed', ({ text }) => {
  const known = knownMetrics();
  const named = text.match(/\bcvm_(?:quota|launch|account|disaster|monitor)\w*/g) ?? [];

  expect(named.filter((name) => !known.has(familyOf(name)))).toEqual([]);
});

test('docs/metrics.md lists the metrics that no panel and no alert uses', () => {
  const [, list = ''] = /^No panel and no alert uses (.*)$/m.exec(read('docs/metrics.md')) ?? [];
  const files = ['config/prometheus/rules.yaml', 'config/grafana/dashboard.json'].map(read).join();
  const used = new Set(files.match(/\bcvm_\w+/g)?.map(familyOf));
  const patterns = [...files.matchAll(/__name__=~"(.*?)"/g)].map(
    ([, pattern]) => new RegExp(`^(?:${pattern})$`),
  );
  const isUsed = (name: string) => used.has(name) || patterns.some((pattern) => pattern.test(name));
  const unused = [...knownMetrics()].filter((name) => name.startsWith('cvm_') && !isUsed(name));

  expect(codeOf(list).toSorted()).toEqual(unused.toSorted());
});

test.each(pages)('the configuration keys that $path names exist', ({ text }) => {
  const keys = configurationKeys();
  const named = codeOf(text).filter((code) =>
    /^(poll|api|thresholds|links|accounts)\.[\w.[\]]+$/.test(code),
  );

  expect(named.filter((key) => !keys.includes(key))).toEqual([]);
});

test('config/example.yaml shows every configuration key', () => {
  const example = read('config/example.yaml');
  const names = new Set(configurationKeys().map((key) => key.replace(/^.*\./, '')));

  expect([...names].filter((name) => !new RegExp(`\\b${name}:`).test(example))).toEqual([]);
});

test.each(pages)('the flags that $path names exist', async ({ text }) => {
  const { commands } = await createProgram();
  const flags = commands.flatMap(({ options }) => options.map(({ long }) => long));
  const flagged = /^--(?:config|log|storage|web)\.[\w.-]+/;
  const named = codeOf(text).flatMap((code) => flagged.exec(code) ?? []);

  expect(named.filter((flag) => !flags.includes(flag))).toEqual([]);
});

test('the log lines that docs/operations.md lists are in the program', () => {
  const [, section = ''] = read('docs/operations.md').split('\n## Logs\n');
  const messages = [...section.matchAll(/^\| (`.*?) +\|/gm)].flatMap(([, cell]) => codeOf(cell!));
  const sources = readdirSync(join(repository, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => read(join('src', path)));

  expect(messages.length).toBeGreaterThan(0);
  expect(
    messages.filter((message) => !sources.some((source) => isQuotedIn(source, message))),
  ).toEqual([]);
});

function isQuotedIn(source: string, message: string): boolean {
  return source.includes(`'${message}'`) || source.includes(`"${message}"`);
}

test('docs/architecture.md says what each folder of src/ is for', () => {
  const folders = readdirSync(join(repository, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `src/${name}/`);
  const architecture = read('docs/architecture.md');

  expect(folders.filter((folder) => !architecture.includes(`| \`${folder}\``))).toEqual([]);
});

test('docs/architecture.md lists for each folder what the check of imports allows', () => {
  const check = read('.config/dependency-cruiser.js');
  const layers = check.slice(check.indexOf('const layers'), check.indexOf('};'));
  const allowed = [...layers.matchAll(/^ {2}'?([\w.-]+)'?: \[([^\]]*)\]/gm)].map(
    ([, layer, list]) => [layer, [...list!.matchAll(/'(.+?)'/g)].map(([, name]) => name)],
  );
  const rows = read('docs/architecture.md').matchAll(/^\| `src\/([\w.-]+)\/?`.*\| (.+?) +\|$/gm);
  // These two rows are sentences: everything but a few.
  const lists = [...rows].filter(([, layer]) => layer !== 'commands' && layer !== 'daemon');
  const documented = lists.map(([, layer, cell]) => [
    layer,
    [...cell!.matchAll(/`(.+?)`/g)].map(([, name]) => name),
  ]);

  expect(documented.length).toBeGreaterThan(10);
  expect(allowed).toEqual(expect.arrayContaining(documented));
});
