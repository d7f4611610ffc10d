import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/config.ts';
import { InvalidFileError } from '../../../src/validated-yaml/problem.ts';

const minimal = `
accounts:
  - name: production
    regions: [ap-guangzhou]
`;

/** The problems of a text, each as `line:column: path: message`. */
function problemsOf(text: string): string[] {
  try {
    parseConfig(text, 'f');
  } catch (error) {
    if (error instanceof InvalidFileError) {
      return error.message.split('\n').map((line) => line.replace(/^f:/, ''));
    }
    throw error;
  }
  return [];
}

/** A minimal configuration with `lines` in front. */
const withBlock = (lines: string) => `${lines}\n${minimal.trimStart()}`;

describe('a configuration', () => {
  test('needs nothing but accounts and regions; everything else has a default', () => {
    const config = parseConfig(minimal, 'f');

    expect(config).toEqual({
      poll: {
        expression: '*/5 * * * *',
        timezone: 'Etc/UTC',
        jitterMs: 0,
        staleAfterMs: 15 * 60_000,
      },
      api: {
        endpoint: 'https://cvm.tencentcloudapi.com',
        signature: 'hmac-sha256',
        requestsPerSecond: 10,
        timeoutMs: 10_000,
        maxAttempts: 4,
      },
      accounts: [
        {
          name: 'production',
          credentials: {
            type: 'environment',
            secret_id: 'TENCENTCLOUD_SECRET_ID',
            secret_key: 'TENCENTCLOUD_SECRET_KEY',
          },
          quotaTypes: ['postpaid', 'prepaid', 'spotpaid', 'disaster_recover_group', 'image'],
          regions: [{ name: 'ap-guangzhou', zones: null, launchTemplates: [] }],
        },
      ],
    });
  });

  test('is refused with every mistake it holds at once, each with its place', async () => {
    const text = await readFile('test/fixtures/config/everything-wrong.yaml', 'utf8');
    const expected = await readFile('test/fixtures/config/everything-wrong.txt', 'utf8');

    expect(problemsOf(text).join('\n')).toBe(expected.trimEnd());
  });

  test.each([
    ['an unknown key', withBlock('polls: {}'), '1:1: polls: unknown key'],
    [
      'a key that stands twice',
      withBlock('api: { timeout: 1s, timeout: 2s }'),
      '1:21: this key stands twice in the same map',
    ],
    [
      'a cron expression without runs',
      withBlock('poll: { schedule: "0 0 30 2 *" }'),
      '1:19: poll.schedule: 30 2 is an impossible day of month for the given month; expected 5 or 6 cron fields such as "*/5 * * * *"',
    ],
    [
      'an unknown time zone',
      withBlock('poll: { timezone: Mars/Base }'),
      '1:19: poll.timezone: unknown time zone; expected a name such as Etc/UTC',
    ],
    [
      'a duration without a unit',
      withBlock('poll: { stale_after: 30 }'),
      '1:22: poll.stale_after: expected a duration such as 700ms or 30s, found 30',
    ],
    [
      'an endpoint with a path',
      withBlock('api: { endpoint: "http://127.0.0.1:1/x" }'),
      '1:18: api.endpoint: expected http:// or https://, a host and nothing behind it; {region} may stand in it',
    ],
    [
      'more requests per second than the service allows',
      withBlock('api: { requests_per_second: 21 }'),
      '1:29: api.requests_per_second: must be at most 20',
    ],
    [
      'a secret in the place of a variable',
      withBlock('').replace('regions', 'credentials: { type: environment, key: x }\n    regions'),
      '4:39: accounts[0].credentials.key: unknown key',
    ],
    ['an empty file', '', '1:1: expected a map, found nothing'],
    ['no accounts', 'accounts: []', '1:11: accounts: name at least one account'],
    [
      'a second document',
      `${minimal}---\n{}`,
      '5:1: Source contains multiple documents; please use YAML.parseAllDocuments()',
    ],
  ])('is refused for %s', (_, text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  test('names the line of a syntax error', () => {
    expect(problemsOf('accounts:\n  - name: "x\n')[0]).toMatch(/^3:1: Missing closing "quote/);
  });

  test('takes a mistake in an alias bomb without growing', () => {
    const bomb = `${minimal}x: &a [1,1,1,1,1,1,1,1,1]\n${Array.from('bcdefghi')
      .map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`)
      .join('\n')}`;

    expect(problemsOf(bomb)[0]).toContain('Excessive alias count');
  });
});

describe('a file that is not there', () => {
  test('is named, with the reason', async () => {
    const { loadConfig } = await import('../../../src/config/config.ts');

    await expect(loadConfig('/nowhere/c.yaml')).rejects.toThrow(
      /^\/nowhere\/c\.yaml:1:1: the file cannot be read: ENOENT/,
    );
  });
});
