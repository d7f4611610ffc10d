import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { temporaryDirectory } from '../../support/directories.ts';
import { unknownMetrics } from '../../support/exposed-metrics.ts';
import { hasProgram } from '../../support/programs.ts';

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
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
const ruleFiles = ruleTexts.map((text) => parse(text, { merge: true }) as RuleFile);
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
    expect(rule.annotations?.status_page).toContain('cvm:status_page:info');
  });

  it.each(alerts.filter(({ annotations }) => annotations?.summary?.includes('$labels.account')))(
    '$alert has the labels of its account',
    ({ labels }) => {
      expect(labels?.team).toContain('cvm:account_labels');
    },
  );

  it('compare with no series that is a setting: if it were missing or doubled, they would be silent', () => {
    const exprs = ruleFiles.flatMap(({ groups }) => groups.flatMap(({ rules }) => rules));

    expect(exprs.filter(({ expr }) => /scalar|:threshold/.test(expr))).toEqual([]);
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

/** A program that one core has to share runs for longer than a unit test. */
const timeout = 120_000;

describe.runIf(hasProgram('promtool', 'prometheus'))('promtool', { timeout }, () => {
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

describe.runIf(hasProgram('vmalert', 'victoria-metrics'))('vmalert', { timeout }, () => {
  /** What vmalert says of the rules with these alerts, as text. Empty if it accepts them. */
  async function complaints(edit: (alertsText: string) => string): Promise<string> {
    const directory = await temporaryDirectory();
    const [recordingText = '', alertsText = ''] = ruleTexts;
    writeFileSync(join(directory, 'recording.yaml'), recordingText);
    writeFileSync(join(directory, 'alerts.yaml'), edit(alertsText));
    const { status, stderr } = spawnSync(
      'vmalert',
      [`-rule=${directory}/*.yaml`, '-dryRun', '-loggerFormat=json', '-loggerLevel=ERROR'],
      { encoding: 'utf8' },
    );
    return status === 0 ? '' : stderr;
  }

  it('accepts the rules; before 1.92, it knows everything but keep_firing_for', async () => {
    const withoutField = await complaints((text) => text.replace(/^.*keep_firing_for.*\n/gm, ''));
    const asShipped = await complaints((text) => text);

    const unknownFields = [...asShipped.matchAll(/unknown fields in rule: ([\w, ]+)/g)];
    expect(withoutField).toBe('');
    expect(asShipped === '' || unknownFields.length > 0).toBe(true);
    expect(unknownFields.filter(([, names]) => names !== 'keep_firing_for')).toEqual([]);
  });

  it('refuses a mistake in an expression and in a template', async () => {
    const withoutField = (text: string) => text.replace(/^.*keep_firing_for.*\n/gm, '');

    expect(
      await complaints((text) => withoutField(text).replace('min without', 'min mithout')),
    ).not.toBe('');
    expect(
      await complaints((text) => withoutField(text).replace('$labels.account', '$labls.account')),
    ).not.toBe('');
  });
});
