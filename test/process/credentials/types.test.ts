/** Each type of credentials, from its source to the gauges. */
import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { seriesOf } from '../../support/exposition-text.ts';
import {
  chained,
  home,
  hourMs,
  keys,
  member,
  monitorRole,
  pod,
  requestsOf,
  start,
  type CredentialsInput,
  type Given,
} from './world.ts';

test.each<[string, Given, 'central' | 'member', boolean]>([
  ['environment', { credentials: { type: 'environment' }, ...keys }, 'central', false],
  ['profile', { credentials: { type: 'profile' }, ...home }, 'central', false],
  ['cvm_role', { credentials: { type: 'cvm_role' } }, 'central', true],
  ['cvm_role of a name', { credentials: { type: 'cvm_role', role: 'machine' } }, 'central', true],
  ['tke_oidc', { credentials: { type: 'tke_oidc' }, ...pod }, 'central', true],
  ['assume_role by keys', { credentials: member(), ...keys }, 'member', true],
  [
    'assume_role by a profile',
    { credentials: member({ type: 'profile' }), ...home },
    'member',
    true,
  ],
  ['assume_role by a machine', { credentials: member({ type: 'cvm_role' }) }, 'member', true],
  ['assume_role by a pod', { credentials: member({ type: 'tke_oidc' }), ...pod }, 'member', true],
  ['assume_role by another role', { credentials: chained, ...keys }, 'member', true],
  ['default: environment', { ...keys }, 'central', false],
  ['default: profile', { ...home }, 'central', false],
  ['default: tke_oidc', { ...pod }, 'central', true],
  ['default: cvm_role', {}, 'central', true],
])('%s gives the figures of its account', async (_type, given, account, expires) => {
  const monitor = await start(given);

  const metrics = await monitor.metrics();
  const limit = account === 'central' ? 10 : 20;
  expect(Object.values(seriesOf(metrics, 'cvm_quota_limit'))).toEqual([limit]);
  const ends = Object.values(seriesOf(metrics, 'cvm_monitor_credentials_expiry_timestamp_seconds'));
  expect(ends).toEqual(expires ? [monitor.clock.now() / 1_000 + 7_200] : []);
  const failures = Object.values(seriesOf(metrics, 'cvm_monitor_credentials_failures_total'));
  expect(new Set(failures)).toEqual(new Set([0]));
});

test('a web token that was replaced is read again', async () => {
  const monitor = await start({
    credentials: { type: 'tke_oidc' },
    ...pod,
    prepare: ({ directory }) => writeFile(`${directory}/token`, 'old-web-token'),
  });

  await writeFile(`${monitor.directory}/token`, 'web-token');
  await monitor.cycle(3 * hourMs);

  expect(requestsOf(monitor, 'AssumeRoleWithWebIdentity').map(({ code }) => code)).toEqual([
    null,
    null,
  ]);
});

test.each<[string, CredentialsInput, string[]]>([
  [
    'a wrong ExternalId',
    { ...member(), external_id: 'another' } as CredentialsInput,
    ['AssumeRole', 'UnauthorizedOperation', monitorRole, 'external_id'],
  ],
  [
    'a role that does not exist',
    { ...member(), role_arn: 'qcs::cam::uin/100000000002:roleName/none' } as CredentialsInput,
    ['AssumeRole', 'ResourceNotFound.RoleNotFound', 'roleName/none'],
  ],
])('%s fails the polls, and the reason says how to mend it', async (_what, credentials, words) => {
  const monitor = await start({ credentials, ...keys });

  const text = JSON.stringify(await monitor.json('/api/v1/targets'));

  for (const word of ['"Credentials"', ...words]) expect(text).toContain(word);
});

describe('a metadata service', () => {
  test.each([
    ['that answers 404', { effect: 'http-status', status: 404 }, 'bind a role'],
    ['that answers HTML', { effect: 'http-status', status: 200, body: '<html>' }, 'name of a role'],
    ['that answers no JSON', { effect: 'garbage' }, 'name of a role'],
    ['that resets the connection', { effect: 'connection-reset' }, 'cannot be reached'],
    ['that sends too much', { effect: 'huge-body', size_bytes: 10_000_000 }, 'longer than'],
    ['that hangs', { effect: 'hang' }, 'did not answer within 200 ms'],
  ] as const)('%s fails the polls, until it answers', async (_what, fault, words) => {
    const timeout = fault.effect === 'hang' ? '200ms' : '10s';
    const monitor = await start({ credentials: { type: 'cvm_role' }, timeout });
    monitor.emulator.faults.add({ operation: 'Metadata', ...fault });

    await monitor.cycle(3 * hourMs);
    const failing = JSON.stringify(await monitor.json('/api/v1/targets'));
    monitor.emulator.faults.clear();
    const up = async () => {
      await monitor.cycle();
      return Object.values(seriesOf(await monitor.metrics(), 'cvm_monitor_target_up'));
    };

    expect(failing).toContain(words);
    await expect.poll(up).toEqual([1]);
  });
});
