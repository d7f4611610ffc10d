/** check-config: each mistake with line, column and path, without its value; for a valid file, the plan. */
import { expect, test } from 'vitest';
import { observeText } from '../../support/observe.ts';
import { run } from '../../support/program.ts';

const account = 'accounts:\n  - name: production\n    regions: [ap-guangzhou]\n';

test.each([
  [
    'a schedule that is none',
    `poll:\n  schedule: '61 * * * *'\n${account}`,
    '2:13: poll.schedule: ',
  ],
  ['a time zone that is none', `poll: { timezone: Mars }\n${account}`, '1:19: poll.timezone: '],
  ['an unknown key', `poll: { stale: 1m }\n${account}`, '1:9: poll.stale: unknown key'],
  ['a duration that is none', `api: { timeout: fast }\n${account}`, '1:17: api.timeout: '],
  [
    'a rate above the limit',
    `api: { requests_per_second: 21 }\n${account}`,
    '1:29: api.requests_per_second: ',
  ],
  [
    'a threshold that is none',
    `thresholds: { warning: many }\n${account}`,
    '1:24: thresholds.warning: ',
  ],
  ['no account', 'poll: {}\n', 'accounts'],
  ['no region', 'accounts:\n  - name: production\n', '2:5: accounts[0].regions: '],
  [
    'a region that is none',
    'accounts: [{ name: production, regions: [Shanghai] }]',
    '1:42: accounts[0].regions[0]: ',
  ],
  [
    'a zone of another region',
    `accounts:\n  - name: production\n    regions:\n      - name: ap-guangzhou\n        zones: [ap-shanghai-4]\n`,
    '5:17: accounts[0].regions[0].zones[0]: ',
  ],
  [
    'an account that stands twice',
    `${account}  - name: production\n    regions: [ap-shanghai]\n`,
    'accounts[1]',
  ],
  [
    'an unknown quota type',
    'accounts: [{ name: a, quota_types: [spot], regions: [ap-guangzhou] }]',
    '1:37: accounts[0].quota_types[0]: ',
  ],
  [
    'an unknown type of credentials',
    'accounts: [{ name: a, credentials: { type: key }, regions: [ap-guangzhou] }]',
    'accounts[0].credentials.type: ',
  ],
  ['YAML that does not end', 'accounts: [\n', 'config.yaml:'],
])('%s is named with its place', async (_what, config, place) => {
  const { code, stdout, stderr } = await run('check-config', { config });

  expect(code).toBe(1);
  expect(stdout + stderr).toContain(place);
});

test('check-config reports all mistakes at once', async () => {
  const config = `poll: { schedule: never, timezone: Mars }\napi: { timeout: fast }\n${account}`;
  const { stdout, stderr } = await run('check-config', { config });

  for (const path of ['1:19: poll.schedule', '1:36: poll.timezone', '2:17: api.timeout']) {
    expect(stdout + stderr).toContain(path);
  }
});

test('For a valid file, check-config prints targets and the requests of a cycle', async () => {
  const { code, stdout } = await run('check-config', {
    config: `poll: { schedule: '*/10 * * * *' }
accounts:
  - name: production
    credentials: { type: none }
    quota_types: [postpaid]
    regions:
      - ap-shanghai
      - { name: ap-guangzhou, zones: [ap-guangzhou-3], launch_templates: [lt-b8v1kcyq] }
`,
  });

  expect(code).toBe(0);
  expect(stdout).toMatch(/requests per cycle +3$/m);
  const plan = stdout.split('\n').filter((line) => line.startsWith('  production  ap-'));
  observeText(plan.join('\n'), 'the targets');
});
