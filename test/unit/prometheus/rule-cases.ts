/** Tests of the alert rules as data, run by promtool: once as they are, and once with two daemons. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/directories.ts';
import { repository } from '../../support/docs/markdown.ts';
import { hasProgram } from '../../support/programs.ts';
import { runProgram } from '../../support/run-program.ts';

export const hasPromtool = hasProgram('promtool', 'prometheus');
export const rulesPath = join(repository, 'config/prometheus/rules.yaml');

/** `['12m', 'CvmQuotaLow', 'account="a"', …]`: the alerts that fire then, each by some of its labels. */
export type Expectation = readonly [time: string, alertname: string, ...labels: readonly string[]];

interface RuleCase {
  /** `name{labels} values` in the notation of promtool. Without `job` or `instance`, it is of the daemon `a:10042`. */
  readonly series: readonly string[];
  readonly expect?: readonly Expectation[];
  /** All labels and texts of the only alert that fires at a time. */
  readonly text?: AlertText;
  /** Whether the accounts of the series are watched and have the team `payments`, all the time. Defaults to true. */
  readonly isWatched?: boolean;
  /** Time from one value to the next, and from one evaluation to the next. Defaults to 1m. */
  readonly interval?: string;
  /** Whether each series exists once more, of another daemon. Defaults to true. */
  readonly isDoubled?: boolean;
}

interface AlertText {
  readonly at: string;
  readonly alert: string;
  /** Besides `severity`, which the alert must have. */
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
}

/** One test for each case, and one for each alert: some case lets it fire. */
export function testRuleCases(
  alerts: Iterable<string | undefined>,
  cases: Readonly<Record<string, RuleCase>>,
): void {
  it.each([...alerts])('a case of the shipped rules lets %s fire', (alert) => {
    const all = Object.values(cases).flatMap(({ expect: expected = [], text }) => [
      ...expected,
      ...(text === undefined ? [] : [['', text.alert, ''] as const]),
    ]);
    const counts = all.filter(([, name]) => name === alert).map((each) => each.length - 2);

    expect(Math.max(...counts)).toBeGreaterThan(0);
  });

  it.runIf(hasPromtool).each(Object.entries(cases))(
    'the shipped rules fire as they should: %s',
    { timeout: 120_000 },
    async (_, ruleCase) => {
      expect(await runRuleCase(ruleCase)).toContain('SUCCESS');
    },
  );
}

/** Returns what promtool prints about a case. Throws with what does not fire as expected. */
async function runRuleCase(ruleCase: RuleCase): Promise<string> {
  const { interval = '1m', isDoubled = true } = ruleCase;
  const tests = [testOf(ruleCase, false), ...(isDoubled ? [testOf(ruleCase, true)] : [])];
  const path = join(await temporaryDirectory(), 'rules.test.yaml');
  const file = { rule_files: [rulesPath], evaluation_interval: interval, tests };
  await writeFile(path, JSON.stringify(file));
  return runProgram('promtool', ['test', 'rules', path]);
}

function testOf(ruleCase: RuleCase, isDoubled: boolean) {
  const { series, expect = [], text, interval = '1m', isWatched = true } = ruleCase;
  const all = [...series, ...(isWatched ? watchedAccounts(series) : [])].map(named);
  const isOfDaemon = text?.labels.instance !== undefined;
  return {
    name: isDoubled ? 'with two daemons' : 'with one daemon',
    interval,
    input_series: isDoubled ? [...all, ...all.map(twin)] : all,
    promql_expr_test: expect.map(([time, alertname, ...labels]) => ({
      expr: `group by (${labelNames(labels)}) (ALERTS{alertname="${alertname}",alertstate="firing"})`,
      eval_time: time,
      exp_samples: labels.map((each) => ({ labels: `{${withoutEmpty(each)}}`, value: 1 })),
    })),
    alert_rule_test: text === undefined || (isDoubled && isOfDaemon) ? [] : [textTest(text)],
  };
}

function textTest({ at, alert, labels, summary, description }: AlertText) {
  const filters = ['account', 'region', 'quota_type', 'template_id', 'subnet_id'].flatMap((name) =>
    labels[name] === undefined ? [] : [`${name}=${labels[name]}`],
  );
  const page = filters.length === 0 ? '' : `?${filters.join('&')}`;
  const annotations = {
    summary,
    description,
    runbook_url: `https://github.com/example-org/cvm-quota-monitor/blob/main/docs/runbooks/${alert}.md`,
    status_page: `http://localhost:10042/${page}`,
  };
  const expected = { exp_labels: labels, exp_annotations: annotations };
  return { eval_time: at, alertname: alert, exp_alerts: [expected] };
}

const withoutEmpty = (labels: string) => labels.replace(/,?\b\w+=""/g, '');
const labelNames = ([first = '']: readonly string[]) =>
  [...first.matchAll(/(\w+)="/g)].map(([, name]) => name).join();

interface InputSeries {
  readonly series: string;
  readonly values: string;
}

function named(line: string): InputSeries {
  const [, name = '', labels = '', values = ''] = /^(\w+)(?:\{(.*)\})? (.+)$/.exec(line) ?? [];
  const all = [
    ...(labels.includes('job="') ? [] : ['job="cvm-quota-monitor"']),
    ...(labels.includes('instance="') ? [] : ['instance="a:10042"']),
    ...(labels === '' ? [] : [labels]),
  ];
  return { series: `${name}{${all.join()}}`, values };
}

const twin = ({ series, values }: InputSeries): InputSeries => ({
  series: series
    .replace(/,pod="[^"]*"/, '')
    .replace(/\binstance="([^"]+)"/, 'instance="twin-of-$1",pod="twin"'),
  values,
});

/** What every daemon says of its accounts before it has an answer. */
function watchedAccounts(series: readonly string[]): string[] {
  const places = series.flatMap((line) =>
    line.includes('account="')
      ? [(line.match(/\b(?:account|cluster|namespace)="[^"]*"/g) ?? []).join()]
      : [],
  );
  return [...new Set(places)].flatMap((place) => watched(place, 'payments'));
}

/** What a daemon says of an account before it has an answer. */
export const watched = (account: string, team: string, values = '1x9999'): string[] => [
  `cvm_monitor_account_info{${account},team="${team}"} ${values}`,
  `cvm_monitor_target_up{${account},region="-",operation="-"} ${values}`,
];
