import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../support/command-line.ts';
import { temporaryFile } from '../support/directories.ts';

const configFile = (text: string) => temporaryFile('config.yaml', text);

describe('check-config', () => {
  test('prints targets, requests and seconds of a cycle, and exits 0', async () => {
    const file = await configFile(
      'accounts: [{ name: a, regions: [ap-x, { name: ap-y, zones: [ap-y-1], launch_templates: [lt-1] }] }]',
    );

    const { code, stdout } = await runCommand('check-config', `--config.file=${file}`);

    expect(code).toBe(0);
    expect(stdout).toContain('a  ap-y  DescribeAccountQuota  zones ap-y-1');
    expect(stdout).toContain('a  ap-y  DescribeLaunchTemplateVersions  lt-1');
    expect(stdout).toMatch(/requests per cycle +3\n/);
    expect(stdout).toMatch(/seconds per cycle +0\.2 at 10 /);
    expect(stdout).toMatch(/^daemons +1 is enough; it needs 0\.1 % of a core and about 101 MiB$/m);
    expect(stdout).not.toContain('warning:');
  });

  test('says how many daemons share the accounts, and that more do not help an account', async () => {
    const regions = Array.from({ length: 30 }, (_, i) => `ap-r${i}`).join(', ');
    const accounts = ['a', 'b', 'c'].map((name) => `{ name: ${name}, regions: [${regions}] }`);
    const often = `poll: { schedule: "* * * * * *" }\naccounts: [${accounts.join(', ')}]`;
    const cluster = 'cluster: { name: c, redis: { url: "redis://r" } }';

    const one = await runCommand('check-config', `--config.file=${await configFile(often)}`);
    const shared = await configFile(`${often}\n${cluster}`);
    const several = await runCommand('check-config', `--config.file=${shared}`);

    expect(one.stdout).toMatch(
      /^daemons +1 is enough; it needs 18 % of a core and about 105 MiB$/m,
    );
    expect(one.stdout).not.toContain('More daemons do not help');
    expect(several.stdout).toMatch(
      /^daemons +1 for the load, 2 if one may fail; together they need 36\.9 % of a core, /m,
    );
    expect(several.stdout).toMatch(/does not fit into 1 s; .+ More daemons do not help/);
  });

  test('warns of a schedule that is too much for one daemon', async () => {
    const regions = Array.from({ length: 30 }, (_, i) => `ap-r${i}`).join(', ');
    const accounts = Array.from({ length: 20 }, (_, i) => `{ name: a${i}, regions: [${regions}] }`);
    const file = await configFile(
      `poll: { schedule: "* * * * * *" }\naccounts: [${accounts.join(', ')}]`,
    );

    const { code, stdout } = await runCommand('check-config', `--config.file=${file}`);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^daemons +5 for the load, 6 if one may fail; /m);
    expect(stdout).toContain('warning: one daemon would use more than half of its core');
  });

  test('warns of a cycle that does not fit its schedule, and of figures that go stale between', async () => {
    const regions = Array.from({ length: 30 }, (_, i) => `ap-r${i}`).join(', ');
    const file = await configFile(
      `poll: { schedule: "*/2 * * * * *", stale_after: 1s }\naccounts: [{ name: a, regions: [${regions}] }]`,
    );

    const { code, stdout } = await runCommand('check-config', `--config.file=${file}`);

    expect(code).toBe(0);
    expect(stdout).toContain('warning: a cycle of 3 s');
    expect(stdout).toContain('warning: stale_after (1 s) is not longer than the 2 s');
  });

  test('warns of accounts that share credentials, and of a region where nothing is watched', async () => {
    const file = await configFile(
      'accounts: [{ name: a, regions: [ap-x] }, { name: b, quota_types: [], regions: [ap-y, { name: ap-z, launch_templates: [lt-1] }] }]',
    );

    const { code, stdout } = await runCommand('check-config', `--config.file=${file}`);

    expect(code).toBe(0);
    expect(stdout).toContain('warning: the accounts a, b have the same credentials');
    expect(stdout).toContain('warning: nothing is watched in ap-y of b');
    expect(stdout).not.toContain('nothing is watched in ap-z');
  });

  test('prints the thresholds that apply now, and warns of overrides without effect', async () => {
    const file = await configFile(`thresholds:
  warning: 25%
  overrides:
    - { muted: true, until: 2020-01-31 }
    - { quota_types: [image], warning: 2, critical: 1 }
    - { accounts: [a], zones: [ap-x-1], muted: true, until: 2999-12-31 }
    - { accounts: [b], critical: 5 }
accounts: [{ name: a, regions: [ap-x] }]
`);

    const { code, stdout } = await runCommand('check-config', `--config.file=${file}`);

    expect(code).toBe(0);
    expect(stdout).toContain(`
thresholds
  quota_types image  warning 2, critical 1
  accounts a; zones ap-x-1  muted, until 2999-12-31
  accounts b  warning 25%, critical 5
  every other quota  warning 25%, critical 10%
`);
    expect(stdout.match(/^warning: .*$/gm)).toEqual([
      'warning: thresholds.overrides[0] ended with 2020-01-31; remove it',
      'warning: thresholds.overrides[3]: no watched quota has the account b',
    ]);
  });

  test('refuses a SecretKey in place of a variable, and does not repeat it', async () => {
    const secretKey = 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE';
    const file = await configFile(
      `accounts: [{ name: a, regions: [ap-x], credentials: { type: environment, secret_key_env: ${secretKey} } }]`,
    );

    const { code, stdout, stderr } = await runCommand('check-config', `--config.file=${file}`);

    expect(code).toBe(1);
    expect(stderr).toContain('accounts[0].credentials.secret_key_env: looks like a secret');
    expect(stdout + stderr).not.toContain(secretKey);
  });

  test('exits 1 with every error of the file, each with its place', async () => {
    const file = 'test/support/fixtures/config/everything-wrong.yaml';
    const expected = await readFile('test/support/fixtures/config/everything-wrong.txt', 'utf8');

    const { code, stderr } = await runCommand('check-config', `--config.file=${file}`);

    expect(code).toBe(1);
    expect(stderr).toBe(expected.replaceAll(/^/gm, `${file}:`).replace(/[^\n]*$/, ''));
  });
});
