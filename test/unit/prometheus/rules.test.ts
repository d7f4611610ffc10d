import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { unknownMetrics } from '../../helpers/exposed-metrics.ts';
import { hasProgram } from '../../helpers/programs.ts';

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}
interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}
interface RuleTestFile {
  readonly group_eval_order: readonly string[];
  readonly tests: readonly {
    readonly alert_rule_test?: readonly {
      readonly alertname: string;
      readonly exp_alerts: readonly unknown[];
    }[];
  }[];
}

const configDirectory = join(import.meta.dirname, '../../../config/prometheus');
const ruleTexts = ['recording.yaml', 'alerts.yaml'].map((file) =>
  readFileSync(join(configDirectory, file), 'utf8'),
);
const ruleFiles = ruleTexts.map((text) => parse(text) as RuleFile);
const alerts = ruleFiles
  .flatMap(({ groups }) => groups)
  .flatMap(({ rules }) => rules)
  .filter((rule): rule is Rule & { alert: string } => rule.alert !== undefined);
const alertNames = [...new Set(alerts.map(({ alert }) => alert))];

const testFileNames = readdirSync(import.meta.dirname).filter((name) =>
  name.endsWith('.test.yaml'),
);
const testFiles = testFileNames.map(
  (name) => parse(readFileSync(join(import.meta.dirname, name), 'utf8')) as RuleTestFile,
);
const expectations = testFiles
  .flatMap(({ tests }) => tests)
  .flatMap(({ alert_rule_test }) => alert_rule_test ?? []);

describe('the alert rules', () => {
  it.each(alerts)('$alert says how grave it is, what happened and where its runbook is', (rule) => {
    expect(rule.labels?.severity).toMatch(/^(warning|critical)$/);
    expect(rule.annotations?.summary).toBeTruthy();
    expect(rule.annotations?.description).toBeTruthy();
    expect(rule.annotations?.runbook_url).toMatch(new RegExp(`/${rule.alert}\\.md$`));
  });

  it.each(alertNames)('%s is tested both firing and silent', (alertname) => {
    const counts = expectations
      .filter((expectation) => expectation.alertname === alertname)
      .map(({ exp_alerts }) => exp_alerts.length);

    expect(counts).toContain(0);
    expect(Math.max(...counts)).toBeGreaterThan(0);
  });

  it('are tested with every group, so that no recording rule is left out', () => {
    const groupNames = ruleFiles.flatMap(({ groups }) => groups).map(({ name }) => name);

    for (const { group_eval_order } of testFiles) expect(group_eval_order).toEqual(groupNames);
  });
});

describe('all rules', () => {
  it('name only metrics that the daemon exposes', () => {
    expect(ruleTexts.flatMap(unknownMetrics)).toEqual([]);
  });
});

describe.runIf(hasProgram('promtool', 'prometheus'))('promtool', () => {
  it('accepts the configuration and its rules', () => {
    const output = execFileSync(
      'promtool',
      ['check', 'config', '--lint=all', '--lint-fatal', join(configDirectory, 'prometheus.yaml')],
      { encoding: 'utf8' },
    );

    expect(output).toContain('2 rule files found');
  });

  it.each(testFileNames)('passes %s', (name) => {
    const output = execFileSync('promtool', ['test', 'rules', join(import.meta.dirname, name)], {
      encoding: 'utf8',
    });

    expect(output).toContain('SUCCESS');
  });
});
