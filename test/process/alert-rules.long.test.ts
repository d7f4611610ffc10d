/** The shipped rules, run by promtool: their cases with one daemon and with two, and every alert in hostile installations. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { temporaryFile } from '../support/directories.ts';
import { hasProgram } from '../support/programs.ts';
import {
  everyAlert,
  hostileVariants,
  parseSeries,
  ruleCases,
  rulesPath,
  seriesName,
  twin,
  type AlertText,
  type RuleCase,
  type Series,
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

/** Runs tests of rules with promtool. Returns what it prints; throws with what does not fire as expected. */
async function runTests(tests: readonly object[], evaluation_interval: string, rules = rulesPath) {
  const file = { rule_files: [rules], evaluation_interval, tests };
  const path = await temporaryFile('rules.test.yaml', JSON.stringify(file));
  return runProgram('promtool', ['test', 'rules', path]);
}

const shipped = parse(readFileSync(rulesPath, 'utf8'), { merge: true }) as {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[];
};

/** A file with the shipped rules of some alerts: no rule reads the alerts of another one. */
function rulesOf(alerts: ReadonlySet<string | undefined>): Promise<string> {
  const groups = shipped.groups.map((group) => ({
    ...group,
    rules: group.rules.filter(({ alert }) => alerts.has(alert)),
  }));
  return temporaryFile('rules.yaml', JSON.stringify({ groups }));
}

const inputSeries = (all: readonly Series[]) =>
  all.map((each) => ({ series: seriesName(each), values: each.values.join(' ') }));

function testOf({ series, expect: expected = [], text }: RuleCase, isDoubled: boolean) {
  const all = series.map((line) =>
    parseSeries(line.replaceAll(/\{(\w+)\}/g, (_, name: string) => labels[name] ?? name)),
  );
  return {
    name: isDoubled ? 'with two daemons' : 'with one daemon',
    interval: '1m',
    input_series: inputSeries(isDoubled ? [...all, ...all.map(twin)] : all),
    promql_expr_test: expected.map(([time, alertname, ...alerts]) => ({
      expr: `group by (${labelNames(alerts)}) (ALERTS{alertname="${alertname}",alertstate="firing"})`,
      eval_time: time,
      exp_samples: alerts.map((each) => ({ labels: `{${withoutEmpty(each)}}`, value: 1 })),
    })),
    alert_rule_test: text === undefined ? [] : [textTest(text)],
  };
}

const testsOf = (ruleCase: RuleCase) =>
  (ruleCase.isDoubled === false ? [false] : [false, true]).map((isDoubled) =>
    testOf(ruleCase, isDoubled),
  );

function textTest({ alert, at, labels: of, ...annotations }: AlertText) {
  // Without `cvm_monitor_links_info`, there are no links.
  const links = annotations.runbook_url === undefined ? { runbook_url: '', status_page: '' } : {};
  const expected = { exp_labels: of, exp_annotations: { ...links, ...annotations } };
  return { eval_time: at, alertname: alert, exp_alerts: [expected] };
}

const withoutEmpty = (of: string) => of.replace(/,?\b\w+=""/g, '');
const labelNames = ([first = '']: readonly string[]) =>
  [...first.matchAll(/(\w+)="/g)].map(([, name]) => name).join();

const testPromtool = it.runIf(hasProgram('promtool', 'prometheus'));

testPromtool.each(ruleCases.map((each) => [each.case, each] as const))(
  'the shipped rules fire as they should: %s',
  async (_, ruleCase) => {
    const alerts = [...(ruleCase.expect ?? []).map(([, alert]) => alert), ruleCase.text?.alert];
    const rules = await rulesOf(new Set(alerts));

    expect(await runTests(testsOf(ruleCase), '1m', rules)).toContain('SUCCESS');
  },
);

testPromtool('no shipped rule breaks on the series of a case that is about others', async () => {
  const tests = ruleCases
    .flatMap(testsOf)
    .map(({ alert_rule_test, promql_expr_test, ...test }) => ({
      ...test,
      // For their times alone: promtool evaluates the rules until the last one.
      alert_rule_test: [...alert_rule_test, ...promql_expr_test].map(({ eval_time }) => ({
        eval_time,
        alertname: 'of no rule',
        exp_alerts: [],
      })),
    }));

  expect(await runTests(tests, '5m')).toContain('SUCCESS');
});

const everySeries = everyAlert.flatMap(({ series }) => series.map(parseSeries));

/** Of `series`, these alerts fire, and none of a muted quota. */
const everyAlertTest = (name: string, series: readonly Series[], firing = everyAlert) => ({
  name,
  interval: '1m',
  input_series: inputSeries(series),
  promql_expr_test: [
    {
      expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: '120m',
      exp_samples: firing.map(({ alert }) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
    },
    ...[105, 115, 120].map((minute) => ({
      expr: 'group by (alertname) (ALERTS{alertstate="firing",quota_type="muted"})',
      eval_time: `${minute}m`,
      exp_samples: [],
    })),
  ],
});

testPromtool.each(Object.entries(hostileVariants))(
  'every shipped alert fires where there are %s',
  async (variant, changed) => {
    const test = everyAlertTest(variant, changed(everySeries));
    expect(await runTests([test], '5m')).toContain('SUCCESS');
  },
);

testPromtool(
  'a metric that Prometheus drops silences only the alerts that are about it',
  async () => {
    const families = new Set(everySeries.map(({ name }) => name));
    const rules = shipped.groups.flatMap((group) => group.rules);
    for (const dropped of [...families].filter((family) => family.startsWith('cvm_'))) {
      // What does not read it fires as in the installation of one daemon.
      const reads = new RegExp(`\\b${dropped}\\b|__name__`);
      const readers = rules.filter((rule) => reads.test(JSON.stringify(rule)));
      const alerts = new Set(readers.map(({ alert }) => alert));
      const others = everySeries.filter(({ name }) => name !== dropped);
      const firing = everyAlert.filter(
        ({ alert, family }) => alerts.has(alert) && family !== dropped,
      );
      const tests = [everyAlertTest(dropped, others, firing)];

      expect(await runTests(tests, '5m', await rulesOf(alerts)), dropped).toContain('SUCCESS');
    }
  },
);

testPromtool('promtool accepts the shipped configuration and its rules', async () => {
  const path = join(rulesPath, '../prometheus.yaml');
  const args = ['check', 'config', '--lint=all', '--lint-fatal', path];

  expect(await runProgram('promtool', args)).toContain('1 rule files found');
});

it('the shipped rules have no record and no label of a configuration, and load no more than a day', () => {
  const rules = readFileSync(rulesPath, 'utf8');
  const ranges = [...rules.matchAll(/\[(\d+[smhdw])(?::\w+)?\]/g)].map(([, range]) => range);

  expect(rules).not.toMatch(/record:|\bALERTS\b/);
  expect(rules).not.toMatch(/\b(team|env)\b/);
  expect(rules.trimEnd().split('\n').length).toBeLessThanOrEqual(400);
  expect(new Set(ranges)).toEqual(new Set(['1h', '1d', '10m', '15m']));
});
