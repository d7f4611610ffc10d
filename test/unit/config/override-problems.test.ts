import { describe, expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { overrideProblems } from '../../../src/config/override-problems.ts';
import { planTargets } from '../../../src/config/targets.ts';

const accounts = `
accounts:
  - name: production
    quota_types: [postpaid, image]
    regions: [ap-shanghai, { name: ap-guangzhou, zones: [ap-guangzhou-3], launch_templates: [lt-b8v1kcyq] }]
  - name: everywhere
    quota_types: [prepaid]
    regions: { except: [ap-seoul] }
  - name: templates
    quota_types: []
    regions: [{ name: ap-tokyo, launch_templates: [lt-b8v1kcyq] }]
`;
const nowMs = Date.UTC(2026, 1, 3);

/** The problems of overrides, without the mute that each has. */
function problemsOf(...overrides: string[]): string[] {
  const lines = overrides.map((each) => `    - { muted: true, ${each} }\n`).join('');
  const text = `poll: { timezone: Asia/Shanghai }\nthresholds:\n  overrides:\n${lines}${accounts}`;
  const config = parseConfig(text, 'f', collectors);
  return overrideProblems(config, planTargets(config, collectors), collectors, nowMs);
}

describe('an override', () => {
  test.each([
    ['for everything', ''],
    ['of an account', 'accounts: [production]'],
    ['of a region', 'regions: [ap-guangzhou]'],
    ['of a region that discovery may find', 'regions: [ap-chengdu]'],
    ['of a selected zone', 'zones: [ap-guangzhou-3]'],
    ['of any zone of a region', 'zones: [ap-shanghai-9]'],
    ['of a zone that discovery may find', 'zones: [ap-chengdu-1]'],
    ['of a quota type', 'quota_types: [image]'],
    ['of all of it', 'accounts: [production], zones: [ap-guangzhou-3], quota_types: [postpaid]'],
    ['with an end today', 'until: 2026-02-03'],
  ])('%s has no problem', (_what, override) => {
    expect(problemsOf(override)).toEqual([]);
  });

  test.each([
    ['accounts: [staging, production]', ': no watched quota has the account staging'],
    ['accounts: [templates]', ': no watched quota has the account templates'],
    ['regions: [ap-seoul]', ': no watched quota has the region ap-seoul'],
    ['quota_types: [spotpaid]', ': no watched quota has the quota type spotpaid'],
    ['accounts: [production], regions: [ap-chengdu]', ' matches no watched quota'],
    ['accounts: [production], zones: [ap-guangzhou-4]', ' matches no watched quota'],
    ['quota_types: [image], zones: [ap-shanghai-1]', ' matches no watched quota'],
    ['until: 2026-02-02', ' ended with 2026-02-02; remove it'],
  ])('with %s is reported', (override, problem) => {
    expect(problemsOf(override)).toEqual([`thresholds.overrides[0]${problem}`]);
  });

  test('reports each name that no quota has', () => {
    expect(problemsOf('accounts: [a, production, b], quota_types: [disks]')).toEqual([
      'thresholds.overrides[0]: no watched quota has the account a',
      'thresholds.overrides[0]: no watched quota has the account b',
      'thresholds.overrides[0]: no watched quota has the quota type disks',
    ]);
  });

  test.each([
    ['quota_types: [image]', 'quota_types: [image]', true],
    ['quota_types: [image, prepaid]', 'quota_types: [prepaid], regions: [ap-x]', true],
    ['quota_types: [image]', 'quota_types: [image, prepaid]', false],
    ['quota_types: [image]', 'accounts: [production]', false],
    ['until: 2026-12-30', 'until: 2026-12-31', false],
    ['until: 2026-12-31', 'until: 2026-12-31', true],
    ['until: 2026-02-02', 'quota_types: [image]', false],
  ])('after %s: %s never applies: %j', (first, later, isHidden) => {
    const problems = problemsOf(first, later);

    expect(
      problems.includes(
        'thresholds.overrides[1] never applies: thresholds.overrides[0] comes first',
      ),
    ).toBe(isHidden);
  });
});
