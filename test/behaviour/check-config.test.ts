/** `check-config`, in this process: what it says of a valid file, and every mistake of an invalid one. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryFile } from '../support/directories.ts';
import { runHere } from '../support/in-process.ts';
import { rowsOf } from '../support/rows.ts';

async function checkConfig(text: string) {
  const file = await temporaryFile('config.yaml', text);
  return runHere(['check-config', `--config.file=${file}`]);
}

const warningsOf = (stdout: string) => stdout.match(/^warning: .*$/gm) ?? [];

test('check-config prints the plan, the budget, and the thresholds in words', async () => {
  const { code, stdout } = await checkConfig(`thresholds:
  warning: 25%
  overrides:
    - { muted: true, until: 2020-01-31 }
    - { quota_types: [image], warning: 3, critical: 2 }
    - { accounts: [a], zones: [ap-seoul-1], muted: true, until: 2999-12-31 }
    - { quota_types: [image, postpaid], regions: [ap-tokyo], critical: 5 }
accounts:
  - { name: a, regions: [ap-tokyo, { name: ap-seoul, zones: [ap-seoul-1], launch_templates: [lt-1] }] }
`);

  expect(code).toBe(0);
  expect(stdout).toContain(`
plan
  a  ap-tokyo  DescribeAccountQuota
  a  ap-seoul  DescribeAccountQuota  zones ap-seoul-1
  a  ap-seoul  DescribeLaunchTemplateVersions  lt-1

budget
  targets             3
  requests per cycle  3
  seconds per cycle   0.2 at 10 requests per second, key and operation
  shortest interval   300 s between two runs of "*/5 * * * *" (Etc/UTC)

thresholds
  quota_types image: low when fewer than 3 images remain, critical when fewer than 2 images remain
  accounts a; zones ap-seoul-1: muted, until 2999-12-31
  regions ap-tokyo; quota_types image, postpaid: low when less than 25% remains, critical when fewer than 5 remain
  every other quota: low when less than 25% remains, critical when less than 10% remains
`);
  expect(warningsOf(stdout)).toEqual([
    'warning: thresholds.overrides[0] (every quota) ended with 2020-01-31',
  ]);
});

test.each(rowsOf<[string, string, boolean]>('config', 'overrides-that-may-apply'))(
  'check-config warns about an override with %s of an account with %s unless it may apply: %s',
  async (filter, account, applies) => {
    const { code, stdout } = await checkConfig(
      `thresholds: { overrides: [{ ${filter}, muted: true }] }
accounts: [{ name: a, credentials: { type: none }, ${account} }]
`,
    );

    const warning =
      /^warning: thresholds\.overrides\[0\] \(.+\) applies to nothing that is configured$/;
    expect(code).toBe(0);
    expect(warningsOf(stdout)).toEqual(applies ? [] : [expect.stringMatching(warning)]);
  },
);

test('check-config warns about a cycle that does not fit its schedule', async () => {
  const regions = Array.from({ length: 30 }, () => 'ap-seoul').map((name, i) => `${name}-${i}`);
  const { code, stdout } = await checkConfig(
    `poll: { schedule: "*/2 * * * * *" }\naccounts: [{ name: a, regions: [${regions.join(', ')}] }]`,
  );

  expect(code).toBe(0);
  expect(stdout).toContain('warning: a cycle of 3 s');
});

test('check-config says that discovery adds requests', async () => {
  const { stdout } = await checkConfig('accounts: [{ name: a, regions: all }]');

  expect(stdout).toContain('requests per cycle  1, and those of what discovery finds\n');
});

test('check-config warns about an unknown region, a count above common limits, and plain http', async () => {
  const { stdout } = await checkConfig(`thresholds:
  warning: 20
  critical: 10
  overrides: [{ quota_types: [image], warning: 11, critical: 2 }]
api: { endpoint: "http://{service}.example" }
accounts: [{ name: a, regions: [ap-guangzou, mars-olympus, ap-seoul] }]
`);

  expect(warningsOf(stdout)).toEqual([
    'warning: api.endpoint is http://{service}.example: signed requests travel without encryption; write https://',
    'warning: ap-guangzou is none of the regions that were known in November 2025; did you mean ap-guangzhou?',
    'warning: mars-olympus is none of the regions that were known in November 2025',
    'warning: a threshold of disaster_recover_group is 20: its usual limit is 10, so fewer always remain',
    'warning: a threshold of image is 11: its usual limit is 10, so fewer always remain',
  ]);
});

test('check-config exits 1 with every error of the file, each with its place', async () => {
  const file = 'test/support/fixtures/config/everything-wrong.yaml';
  const expected = await readFile('test/support/fixtures/config/everything-wrong.txt', 'utf8');

  const { code, stderr } = await runHere(['check-config', `--config.file=${file}`]);

  expect(code).toBe(1);
  expect(stderr).toBe(expected.replaceAll(/^/gm, `${file}:`).replace(/[^\n]*$/, ''));
});
