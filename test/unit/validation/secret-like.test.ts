import { describe, expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { looksLikeSecret } from '../../../src/validation/secret-like.ts';
import { InvalidFileError } from '../../../src/validation/problem.ts';
import { rowsOf } from '../../support/rows.ts';

// Of the form that the service makes them in; they belong to no account.
const secretId = 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE';
const secretKey = 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE';
const token = `${'aB3-_'.repeat(40)}==`;

/** What a configuration is refused with; `null` when it is taken. */
function refusal(text: string): string | null {
  try {
    parseConfig(text, 'f', collectors);
    return null;
  } catch (error) {
    if (error instanceof InvalidFileError) return error.message;
    throw error;
  }
}

const withCredentials = (credentials: string) =>
  `accounts: [{ name: a, regions: [ap-x], credentials: ${credentials} }]`;

describe.each([
  ['a SecretId', secretId],
  ['a SecretKey', secretKey],
  ['a SecretKey without a digit', 'GuAtBxGARNpqCDcdEFjoQYCNGHIJKLMN'],
  ['a token', token],
])('%s in a configuration', (what, secret) => {
  test.each(rowsOf<[string, string]>('config', 'places-of-secrets'))(
    `${what} is refused and not repeated %s`,
    (_place, credentials) => {
      const message = refusal(withCredentials(credentials.replace('SECRET', secret))) ?? 'taken';

      expect(message).toMatch(/^f:\d+:\d+: /);
      expect(message).not.toContain(secret.slice(0, 12));
    },
  );

  test(`${what} is no name of an account`, () => {
    const message = refusal(`accounts: [{ name: "${secret}", regions: [ap-x] }]`);

    expect(message).toContain('accounts[0].name');
    expect(message).not.toContain(secret);
  });

  test.each([
    ['a tag', `{ launch_templates: { tags: { env: "${secret}" } } }`],
    ['a key of a tag', `{ launch_templates: { tags: { "${secret}": prod } } }`],
    ['a name of a template', `{ launch_templates: { names: ["${secret}"] } }`],
  ])(`${what} is no %s`, (_key, keys) => {
    const region = `{ name: ap-x, ${keys.slice(1)}`;
    const message = refusal(`accounts: [{ name: a, regions: [${region}] }]`) ?? 'taken';

    expect(message).toContain('launch_templates');
    expect(message).toContain('looks like a secret');
    expect(message).not.toContain(secret.slice(0, 12));
  });

  test(`${what} that is in a list twice is in no message`, () => {
    const region = `{ name: ap-x, zones: ["${secret}", "${secret}"] }`;
    const message = refusal(`accounts: [{ name: a, regions: [${region}] }]`);

    expect(message).toContain('the zone … is in the list twice');
    expect(message).not.toContain(secret.slice(0, 12));
  });

  test(`${what} is no field of a schedule`, () => {
    const message = refusal(
      `poll: { schedule: "*/5 * * * ${secret}" }\naccounts: [{ name: a, regions: [ap-x] }]`,
    );

    expect(message).toContain('poll.schedule');
    expect(message).not.toContain(secret);
  });
});

test('a secret in place of a variable is called one', () => {
  expect(refusal(withCredentials(`{ type: environment, secret_key_env: ${secretKey} }`))).toBe(
    'f:1:90: accounts[0].credentials.secret_key_env: looks like a secret, and this file must not contain secrets; expected the name of an environment variable: upper-case letters, digits and underscores',
  );
});

test.each(['TENCENTCLOUD_SECRET_ID', 'KEY', '_A1', 'AKID_OF_PRODUCTION'])(
  'the variable %s may be named',
  (name) => {
    expect(refusal(withCredentials(`{ type: environment, secret_id_env: ${name} }`))).toBeNull();
  },
);

test.each(['secret_id', 'a-b', '1A', 'A'.repeat(32), '""'])('%s names no variable', (name) => {
  expect(refusal(withCredentials(`{ type: environment, secret_id_env: ${name} }`))).toContain(
    'secret_id_env: expected the name of an environment variable',
  );
});

test.each([
  '/var/run/secrets/cvm-quota-monitor/secret_id',
  '/run/secrets/Production-Account-Of-Payments-2/key',
  './keys/key.txt',
  'key',
  '/a',
  '/tmp/XyZ1234/daemon-credentials-of-tests/id',
])('%s is a path and no secret', (path) => {
  expect(looksLikeSecret(path)).toBe(false);
});
