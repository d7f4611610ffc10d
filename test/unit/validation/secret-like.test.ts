import { describe, expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { looksLikeSecret } from '../../../src/validation/secret-like.ts';
import { InvalidFileError } from '../../../src/validation/problem.ts';

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
  test.each([
    ['in place of a variable', `{ type: environment, secret_id_env: "${secret}" }`],
    ['in place of the other variable', `{ type: environment, secret_key_env: "${secret}" }`],
    ['in place of the variable of a token', `{ type: environment, token_env: "${secret}" }`],
    ['in place of a file', `{ type: files, secret_id_file: /a, secret_key_file: "${secret}" }`],
    [
      'in place of the other file',
      `{ type: files, secret_id_file: "${secret}", secret_key_file: /a }`,
    ],
    ['in place of a profile', `{ type: profile, profile: "${secret}" }`],
    ['in place of the file of a profile', `{ type: profile, file: "${secret}" }`],
    ['in place of a role', `{ type: cvm_role, role: "${secret}" }`],
    ['in place of the name of a role', `{ type: assume_role, role_arn: "${secret}" }`],
    [
      'in place of an external ID',
      `{ type: assume_role, role_arn: "qcs::cam::uin/1:role/1", external_id: "${secret}" }`,
    ],
    ['in place of a session', `{ type: tke_oidc, session_name: "${secret}" }`],
    [
      'in the source of a role',
      `{ type: assume_role, role_arn: "qcs::cam::uin/1:roleName/a", source: { type: environment, secret_key_env: "${secret}" } }`,
    ],
    ['in place of the file of a token', `{ type: files, token_file: "${secret}" }`],
    ['under a former key', `{ type: environment, secret_key: "${secret}" }`],
    ['as the type', `{ type: "${secret}" }`],
    ['as a key', `{ type: environment, "${secret}": 1 }`],
    ['as a key that its value was stuck to', `{ type: environment, secret_key_env:${secret} }`],
    ['as the credentials', `"${secret}"`],
    ['in a list', `["${secret}"]`],
    ['where a text belongs', `{ type: environment, secret_id_env: ["${secret}"] }`],
    ['as a tag', `{ type: environment, secret_id_env: !${secret} x }`],
    ['as an alias', `{ type: environment, secret_id_env: *${secret} }`],
    ['behind a quote that is not closed', `{ type: environment, secret_id_env: "${secret} }`],
    ['behind a reserved character', `{ type: environment, secret_id_env: @${secret} }`],
    ['behind a closed quote', `{ type: environment, secret_id_env: "X" ${secret} }`],
    ['as a block', `|${secret}\n  x`],
  ])(`${what} is refused and not repeated %s`, (_place, credentials) => {
    const message = refusal(withCredentials(credentials)) ?? 'taken';

    expect(message).toMatch(/^f:\d+:\d+: /);
    expect(message).not.toContain(secret.slice(0, 12));
  });

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
