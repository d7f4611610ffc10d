/** Several daemons that share accounts serve the same series: the alerts must be those of one daemon. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { temporaryDirectory } from '../../support/directories.ts';
import { hasProgram } from '../../support/programs.ts';
import { forTwoDaemons, type RuleTestFile } from '../../support/prometheus/two-daemons.ts';

const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.yaml'));

describe.runIf(hasProgram('promtool', 'prometheus'))('with two daemons, promtool', () => {
  it.each(names)('passes %s', async (name) => {
    // Without types: 0x40 is forty-one samples, and no number.
    const file = parse(readFileSync(join(import.meta.dirname, name), 'utf8'), {
      schema: 'failsafe',
    }) as RuleTestFile & { readonly rule_files: readonly string[] };
    const path = join(await temporaryDirectory(), name);
    const doubled = forTwoDaemons({
      ...file,
      rule_files: file.rule_files.map((rules) => join(import.meta.dirname, rules)),
    });
    writeFileSync(path, JSON.stringify(doubled));

    const output = execFileSync('promtool', ['test', 'rules', path], { encoding: 'utf8' });

    expect(output).toContain('SUCCESS');
  });
});
