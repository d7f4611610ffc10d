import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { reservedLabels } from '../../../src/config/labels-schema.ts';
import { problemsOf } from '../../support/config-problems.ts';
import { generatedParts } from '../../support/docs/reference.ts';

const withLabels = (...labels: string[]) =>
  `accounts: [${labels.map((each, i) => `{ name: a${i}, regions: [ap-x]${each} }`).join(', ')}]`;

test('the labels of accounts are kept', () => {
  const { accounts } = parseConfig(
    withLabels(
      ', labels: { team: payments, cost_center: "7" }',
      ', labels: { cost_center: "8", team: x }',
    ),
    'f',
    collectors,
  );

  expect(accounts.map(({ labels }) => labels)).toEqual([
    { team: 'payments', cost_center: '7' },
    { cost_center: '8', team: 'x' },
  ]);
});

test.each([
  [
    'with a dash',
    '{ cost-center: x }',
    'labels.cost-center: a label has up to 63 letters, digits and underscores, and does not begin with a digit',
  ],
  [
    'with a digit in front',
    '{ 9a: x }',
    'labels.9a: a label has up to 63 letters, digits and underscores, and does not begin with a digit',
  ],
  [
    'that Prometheus removes',
    '{ __team: x }',
    'labels.__team: Prometheus removes labels that begin with __',
  ],
  ['of the monitor', '{ zone: x }', 'labels.zone: this label has another meaning already'],
  ['of Prometheus', '{ instance: x }', 'labels.instance: this label has another meaning already'],
  ['without a value', '{ team: "" }', 'labels.team: must not be empty'],
  ['with a number', '{ team: 5 }', 'labels.team: expected text, found a number'],
  [
    'with a secret',
    '{ team: AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE }',
    'labels.team: looks like a secret: this value is shown everywhere',
  ],
  [
    'with a secret as their name',
    '{ AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE: x }',
    'labels.…: looks like a secret',
  ],
])('labels are refused %s', (_what, labels, problem) => {
  const problems = problemsOf(withLabels(`, labels: ${labels}`));

  expect(problems.map((each) => each.replace(/^\d+:\d+: /, ''))).toEqual([
    `accounts[0].${problem}`,
  ]);
});

test.each([
  [', labels: { team: x }', '', 'the first has team'],
  ['', ', labels: { team: x }', 'the first has none'],
  [', labels: { team: x, b: y }', ', labels: { b: x, c: y }', 'the first has b, team'],
])('labels are refused that differ between accounts: %j and %j', (first, second, reason) => {
  expect(problemsOf(withLabels(first, second)).join()).toMatch(
    new RegExp(`: accounts\\[1\\]\\.labels: every account has the same labels; ${reason}$`),
  );
});

test('labels that differ are reported beside another mistake of an account', () => {
  const text =
    'accounts: [{ name: a b, regions: [ap-x] }, { name: b, regions: [ap-x], labels: { team: x } }]';

  expect(problemsOf(text).map((each) => each.replace(/^.*?: (.*?): .*$/, '$1'))).toEqual([
    'accounts[0].name',
    'accounts[1].labels',
  ]);
});

test('every label of the metrics is refused', async () => {
  const tables = [...(await generatedParts())].filter(([name]) => name.startsWith('metrics of'));
  const labels = tables.flatMap(([, table]) =>
    table
      .split('\n')
      .slice(2)
      .flatMap((row) => row.split('|')[3]!.trim().split(', ')),
  );

  // The labels that the configuration gives to an account are `…` in the tables.
  const own = new Set(labels.filter((label) => label !== '' && label !== '…'));
  expect(own.size).toBeGreaterThan(10);
  const reserved = reservedLabels(collectors);
  expect([...own].filter((label) => !reserved.has(label))).toEqual([]);
});
