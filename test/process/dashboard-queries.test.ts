/** Queries of the dashboard, evaluated by promtool. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dashboardQueries } from '../support/dashboard-queries.ts';
import { temporaryDirectory } from '../support/directories.ts';
import { hasProgram } from '../support/programs.ts';
import { runProgram } from '../support/run-program.ts';

const testPromtool = it.runIf(hasProgram('promtool', 'prometheus'));

/** Has promtool evaluate the query of a panel over series, given one value a minute. */
async function expectQuery(
  title: string,
  series: Readonly<Record<string, string>>,
  expected: Readonly<Record<string, number>>,
  labels = '{}',
  position = 0,
): Promise<void> {
  const { expr } = (await dashboardQueries()).filter(({ name }) => name === title)[position]!;
  const path = join(await temporaryDirectory(), 'query.test.yaml');
  const test = {
    interval: '1m',
    input_series: Object.entries(series).map(([each, values]) => ({ series: each, values })),
    promql_expr_test: Object.entries(expected).map(([time, value]) => ({
      expr,
      eval_time: time,
      exp_samples: [{ labels, value }],
    })),
  };
  await writeFile(path, JSON.stringify({ evaluation_interval: '1m', tests: [test] }));

  expect(await runProgram('promtool', ['test', 'rules', path])).toContain('SUCCESS');
}

const quota = 'account="a",region="r",zone="z",quota_type="postpaid",unit="instances"';

testPromtool('the dashboard counts exhausted quotas as the daemon judges them', async () => {
  const series = {
    [`cvm_quota_remaining{${quota.replace('"a"', '"muted"')}}`]: '0x5',
    [`cvm_quota_severity{${quota},severity="critical",reason="exhausted"}`]: '1x5',
    [`cvm_quota_severity{${quota.replace('"a"', '"b"')},severity="critical",reason="low"}`]: '1x5',
  };

  await expectQuery('Quotas exhausted', series, { '4m': 1 });
});

testPromtool('the dashboard computes the time to full as the rule of its alert', async () => {
  const series = { [`cvm_quota_remaining{${quota}}`]: '100-0.5x70' };

  await expectQuery('Time to full', series, { '60m': 8_400 }, `{${quota}}`);
});

testPromtool.each([
  [
    'Limits lowered',
    'cvm_quota_limit_changes_total{account="a",region="r",quota_type="image",unit="images",direction="lowered"}',
  ],
  [
    'Default versions changed',
    'cvm_launch_template_default_version_changes_total{account="a",region="r",template_id="t"}',
  ],
])('the dashboard counts a change once while its pod moved: %s', async (title, counter) => {
  const of = (pod: string) => counter.replace('}', `,instance="${pod}",pod="${pod}"}`);
  const series = { [of('one')]: '4x20 stale', [of('two')]: '_x30 5x60' };

  await expectQuery(title, series, { '55m': 1, '95m': 0 });
});

testPromtool(
  'the dashboard counts the scale-outs that failed, those that the monitor foretold and the others',
  async () => {
    const of = (outcome: string, foretold: boolean) =>
      `cvm_scaling_activities_total{account="a",region="r",scaling_group_id="asg-1",outcome="${outcome}",foretold="${foretold}"}`;
    const series = {
      [of('failed', true)]: '0x20 1x40',
      [of('partial', true)]: '0x30 2x30',
      [of('failed', false)]: '0x30 5x30',
      [of('successful', true)]: '0x30 7x30',
    };

    await expectQuery('Scale-outs that failed', series, { '55m': 3 });
    await expectQuery('Scale-outs that failed', series, { '55m': 5 }, '{}', 1);
  },
);
