/** Tests of the alert rules as data, run by promtool: once as they are, and once with two daemons. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../docs/markdown.ts';
import { temporaryDirectory } from '../directories.ts';
import { runProgram } from '../run-program.ts';

export const rulesPath = join(repository, 'config/prometheus/rules.yaml');

/** A series in the notation of promtool, and its values, one for each minute. */
export type InputSeries = readonly [series: string, values: string];

/** `['12m', 'CvmQuotaLow', 'account="a"', …]`: the alerts that fire then, each by some of its labels. */
export type Expectation = readonly [time: string, alertname: string, ...labels: readonly string[]];

export interface RuleCase {
  /** A series without `job` or `instance` is of the daemon `a:10042`. */
  readonly series: readonly InputSeries[];
  readonly expect: readonly Expectation[];
  /** All labels and texts of the only alert that fires at a time. */
  readonly text?: AlertText;
  /** Whether the accounts of the series are watched and have the team `payments`, all the time. Defaults to true. */
  readonly isWatched?: boolean;
  /** Time from one value to the next, and from one evaluation to the next. Defaults to 1m. */
  readonly interval?: string;
  /** Whether each series exists once more, of another daemon. Defaults to true. */
  readonly isDoubled?: boolean;
}

export interface AlertText {
  readonly at: string;
  readonly alert: string;
  /** Besides `severity`, which the alert must have. */
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
  /** The query of the link to the status page. */
  readonly page: string;
}

/**
 * Runs cases.
 *
 * @returns what promtool prints about them
 * @throws with what does not fire as expected
 */
export async function runRuleCases(...cases: readonly RuleCase[]): Promise<string> {
  const tests = cases.flatMap((each) => [
    testOf(each, false),
    ...(each.isDoubled === false ? [] : [testOf(each, true)]),
  ]);
  const path = join(await temporaryDirectory(), 'rules.test.yaml');
  const [{ interval = '1m' } = {}] = cases;
  const file = { rule_files: [rulesPath], evaluation_interval: interval, tests };
  await writeFile(path, JSON.stringify(file));
  return runProgram('promtool', ['test', 'rules', path]);
}

function testOf(ruleCase: RuleCase, isDoubled: boolean) {
  const { series, expect, text, interval = '1m', isWatched = true } = ruleCase;
  const all = [...series.map(named), ...(isWatched ? watchedAccounts(series) : [])];
  const isOfDaemon = text?.labels.instance !== undefined;
  return {
    name: isDoubled ? 'with two daemons' : 'with one daemon',
    interval,
    input_series: (isDoubled ? [...all, ...all.map(twin)] : all).map(([name, values]) => ({
      series: name,
      values,
    })),
    promql_expr_test: expect.map(([time, alertname, ...labels]) => ({
      expr: `group by (${labelNames(labels)}) (ALERTS{alertname="${alertname}",alertstate="firing"})`,
      eval_time: time,
      exp_samples: labels.map((each) => ({ labels: `{${withoutEmpty(each)}}`, value: 1 })),
    })),
    alert_rule_test: text === undefined || (isDoubled && isOfDaemon) ? [] : [textTest(text)],
  };
}

function textTest({ at, alert, labels, summary, description, page }: AlertText) {
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

function named([series, values]: InputSeries): InputSeries {
  const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? [];
  const all = [
    ...(labels.includes('job="') ? [] : ['job="cvm-quota-monitor"']),
    ...(labels.includes('instance="') ? [] : ['instance="a:10042"']),
    ...(labels === '' ? [] : [labels]),
  ];
  return [`${name}{${all.join()}}`, values];
}

function twin([series, values]: InputSeries): InputSeries {
  const moved = series
    .replace(/,pod="[^"]*"/, '')
    .replace(/\binstance="([^"]+)"/, 'instance="twin-of-$1",pod="twin"');
  return [moved, values];
}

/** What every daemon says of its accounts before it has an answer. */
function watchedAccounts(series: readonly InputSeries[]): InputSeries[] {
  const places = series.flatMap(([name]) =>
    name.includes('account="')
      ? [(name.match(/\b(?:account|cluster|namespace)="[^"]*"/g) ?? []).join()]
      : [],
  );
  return [...new Set(places)].flatMap((place) => [
    named([`cvm_monitor_account_info{${place},team="payments"}`, '1x9999']),
    named([`cvm_monitor_target_up{${place},region="-",operation="-"}`, '1x9999']),
  ]);
}
