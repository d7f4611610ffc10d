/** The cases of `test/support/fixtures/prometheus/rule-cases.yaml`, run by promtool: with one daemon, and with two. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directories.ts';
import { hasProgram } from '../support/programs.ts';
import {
  ruleCases,
  rulesPath,
  type AlertText,
  type RuleCase,
  type RuleSeries,
} from '../support/prometheus/rule-cases.ts';
import { runProgram } from '../support/run-program.ts';

/** What `{place}` and the like stand for in the cases. */
const labels: Readonly<Record<string, string>> = {
  place: 'region="r",zone="z",quota_type="postpaid",unit="instances"',
  image: 'region="r",quota_type="image",unit="images"',
  versions: 'region="r",template_id="lt-b8v1kcyq"',
  type: 'region="r",instance_type="S5.LARGE8",charge_type="postpaid"',
  launch: 'region="r",instance_type="S5.LARGE8",charge_type="postpaid",template_id="lt-b8v1kcyq"',
  target: 'region="r",operation="DescribeAccountQuota"',
};

/** The lines of a series of a case. */
function linesOf(series: RuleSeries): string[] {
  if (typeof series === 'string') return [series];
  if ('each' in series) {
    const { each, from = 0, ...one } = series;
    return Array.from({ length: each }, (_, i) =>
      linesOf(one as RuleSeries).map((line) => line.replaceAll('{n}', `${from + i}`)),
    ).flat();
  }
  if ('quota' in series) {
    const { quota: of, warning, critical, ...gauges } = series;
    return [
      ...Object.entries(gauges).map(([name, values]) => `cvm_quota_${name}{${of}} ${values}`),
      ...Object.entries({ warning, critical }).flatMap(([severity, values]) =>
        values === undefined
          ? []
          : [`cvm_quota_remaining_threshold{${of},severity="${severity}"} ${values}`],
      ),
    ];
  }
  if ('changes' in series) {
    const { changes: of, total, time } = series;
    const limit = `${of},{image},direction="lowered"`;
    const version = `${of},{versions}`;
    return [
      `cvm_quota_limit_changes_total{${limit}} ${total}`,
      `cvm_quota_limit_change_timestamp_seconds{${limit}} ${time}`,
      `cvm_launch_template_default_version_changes_total{${version}} ${total}`,
      `cvm_launch_template_default_version_change_timestamp_seconds{${version}} ${time}`,
    ];
  }
  if ('failing' in series) {
    const { failing: of, since, code, until = 300 } = series;
    const minutes = until - since - 1;
    return [
      `cvm_monitor_target_up{${of}} 1x${since - 1} 0x${minutes} 1x300`,
      `cvm_monitor_target_failing_since_timestamp_seconds{${of},code="${code}"} _x${since} ${since * 60}x${minutes} stale`,
      `cvm_monitor_target_last_poll_timestamp_seconds{${of}} 0+60x300`,
    ];
  }
  if ('stale' in series) {
    const { stale: of, at } = series;
    return [
      `cvm_monitor_target_last_success_timestamp_seconds{${of}} 0x300`,
      `cvm_monitor_target_incomplete{${of}} 0x${at - 1} stale`,
    ];
  }
  return watched(series.watched, series.team, series.values);
}

/** What a daemon says of an account before it has an answer. */
const watched = (account: string, team: string, values = '1x9999'): string[] => [
  `cvm_monitor_account_info{${account},team="${team}"} ${values}`,
  `cvm_monitor_target_up{${account},region="-",operation="-"} ${values}`,
];

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
  const lines = series
    .flatMap(linesOf)
    .map((line) => line.replaceAll(/\{(\w+)\}/g, (_, name: string) => labels[name] ?? name));
  const all = [...lines, ...(isWatched ? watchedAccounts(lines) : [])].map(named);
  const isOfDaemon = text?.labels.instance !== undefined;
  return {
    name: isDoubled ? 'with two daemons' : 'with one daemon',
    interval,
    input_series: isDoubled ? [...all, ...all.map(twin)] : all,
    promql_expr_test: expect.flatMap(([time, name, ...alerts]) =>
      (name === 'changed' ? changeAlerts : [name]).map((alertname) => ({
        expr: `group by (${labelNames(alerts)}) (ALERTS{alertname="${alertname}",alertstate="firing"})`,
        eval_time: time,
        exp_samples: alerts.map((each) => ({ labels: `{${withoutEmpty(each)}}`, value: 1 })),
      })),
    ),
    alert_rule_test: text === undefined || (isDoubled && isOfDaemon) ? [] : [textTest(text)],
  };
}

const changeAlerts = ['CvmQuotaLimitLowered', 'CvmLaunchTemplateDefaultVersionChanged'];

function textTest({ at, alert, labels: of, summary, description }: AlertText) {
  const filters = ['account', 'region', 'quota_type', 'template_id', 'subnet_id'].flatMap((name) =>
    of[name] === undefined ? [] : [`${name}=${of[name]}`],
  );
  const page = filters.length === 0 ? '' : `?${filters.join('&')}`;
  const annotations = {
    summary,
    description,
    runbook_url: `https://github.com/example-org/cvm-quota-monitor/blob/main/docs/runbooks/${alert}.md`,
    status_page: `http://localhost:10042/${page}`,
  };
  const expected = { exp_labels: of, exp_annotations: annotations };
  return { eval_time: at, alertname: alert, exp_alerts: [expected] };
}

const withoutEmpty = (of: string) => of.replace(/,?\b\w+=""/g, '');
const labelNames = ([first = '']: readonly string[]) =>
  [...first.matchAll(/(\w+)="/g)].map(([, name]) => name).join();

interface InputSeries {
  readonly series: string;
  readonly values: string;
}

function named(line: string): InputSeries {
  const [, name = '', of = '', values = ''] = /^(\w+)(?:\{(.*)\})? (.+)$/.exec(line) ?? [];
  const all = [
    ...(of.includes('job="') ? [] : ['job="cvm-quota-monitor"']),
    ...(of.includes('instance="') ? [] : ['instance="a:10042"']),
    ...(of === '' ? [] : [of]),
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
function watchedAccounts(lines: readonly string[]): string[] {
  const places = lines.flatMap((line) =>
    line.includes('account="')
      ? [(line.match(/\b(?:account|cluster|namespace)="[^"]*"/g) ?? []).join()]
      : [],
  );
  return [...new Set(places)].flatMap((place) => watched(place, 'payments'));
}

const testPromtool = it.runIf(hasProgram('promtool', 'prometheus'));

testPromtool.each(ruleCases.map((each) => [each.case, each] as const))(
  'the shipped rules fire as they should: %s',
  { timeout: 120_000 },
  async (_, ruleCase) => {
    expect(await runRuleCase(ruleCase)).toContain('SUCCESS');
  },
);

testPromtool('promtool accepts the shipped configuration and its rules', async () => {
  const path = join(rulesPath, '../prometheus.yaml');
  const args = ['check', 'config', '--lint=all', '--lint-fatal', path];

  expect(await runProgram('promtool', args)).toContain('1 rule files found');
});
