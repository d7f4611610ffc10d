/** Where a key comes from: each type of credentials signs the requests of its account. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/directories.ts';
import { configOf, run, watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const roleArn = 'qcs::cam::uin/100000000002:roleName/monitor';
const podArn = 'qcs::cam::uin/100000000001:roleName/pod';
const key = { TENCENTCLOUD_SECRET_ID: 'id-central', TENCENTCLOUD_SECRET_KEY: 'key-central' };
const role = (source: unknown) => ({ type: 'assume_role', role_arn: roleArn, source });
const pod = (directory: string) => ({
  TKE_REGION: 'ap-guangzhou',
  TKE_PROVIDER_ID: 'cls-1a2b3c4d',
  TKE_WEB_IDENTITY_TOKEN_FILE: join(directory, 'token'),
  TKE_ROLE_ARN: podArn,
});

interface Source {
  readonly credentials?: unknown;
  readonly env?: Readonly<Record<string, string>>;
}

// The account with the key has 10 images, the one of the role has 20.
test.each<[name: string, images: number, sourceOf: (directory: string) => Source]>([
  ['environment', 10, () => ({ credentials: { type: 'environment' }, env: key })],
  [
    'files',
    10,
    (directory) => ({
      credentials: {
        type: 'files',
        secret_id_file: join(directory, 'id'),
        secret_key_file: join(directory, 'key'),
      },
    }),
  ],
  [
    'profile',
    10,
    (directory) => ({ credentials: { type: 'profile' }, env: { HOME: join(directory, 'home') } }),
  ],
  ['cvm_role', 10, () => ({ credentials: { type: 'cvm_role' } })],
  ['tke_oidc', 10, (directory) => ({ credentials: { type: 'tke_oidc' }, env: pod(directory) })],
  ['assume_role by a key', 20, () => ({ credentials: role({ type: 'environment' }), env: key })],
  ['assume_role by a machine', 20, () => ({ credentials: role({ type: 'cvm_role' }) })],
  [
    'assume_role by a pod',
    20,
    (directory) => ({ credentials: role({ type: 'tke_oidc' }), env: pod(directory) }),
  ],
  ['default, which finds the environment', 10, () => ({ env: key })],
  [
    'default, which finds a profile',
    10,
    (directory) => ({ env: { HOME: join(directory, 'home') } }),
  ],
  ['default, which finds a pod', 10, (directory) => ({ env: pod(directory) })],
  ['default, which finds a machine', 10, () => ({})],
])(
  'Credentials of the type %s sign the requests of their account',
  async (_name, images, sourceOf) => {
    const service = await startService();
    const central = service.account('central', {
      secretId: 'id-central',
      secretKey: 'key-central',
    });
    const member = service.account('member', { secretId: 'unused', secretKey: 'unused' });
    central.region('ap-guangzhou');
    member.region('ap-guangzhou').setLimit('image', null, 20);
    service.roles.set('bound', central).set(podArn, central).set(roleArn, member);
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'id'), 'id-central\n');
    await writeFile(join(directory, 'key'), 'key-central\n');
    await writeFile(join(directory, 'token'), 'web-token\n');
    await mkdir(join(directory, 'home', '.tencentcloud'), { recursive: true });
    await writeFile(
      join(directory, 'home', '.tencentcloud', 'credentials'),
      '[default]\nsecret_id = id-central\nsecret_key = key-central\n[spare]\nsecret_id = no\nsecret_key = no\n',
    );

    const { credentials, env } = sourceOf(directory);
    const config = configOf(service, {
      poll: { schedule: '0 0 1 1 *' },
      api: { metadata_endpoint: service.url },
      account: { credentials, labels: { team: 'payments' } },
    });
    const all = { HOME: directory, ...env };
    const { code, stdout } = await run('check', { config, env: all, flags: ['--output=json'] });

    const { quotas } = JSON.parse(stdout) as { quotas: { quota_type: string; limit: number }[] };
    expect(quotas.find(({ quota_type }) => quota_type === 'image')?.limit).toBe(images);
    expect(code).toBe(0);
    expect(service.requests.every(({ outcome }) => outcome === 'ok')).toBe(true);
    const polls = service.asked({ action: 'DescribeAccountQuota' });
    expect(polls).toHaveLength(1);
    expect(polls[0]!.signature).toBe('tc3');
  },
);

test('A source that is missing fails its own account, and the reason names what is missing', async () => {
  const daemon = await watchService(await startService('ap-shanghai'), {
    poll: { schedule: '0 0 1 1 *' },
    accounts: [
      { name: 'broken', credentials: { type: 'environment' }, regions: ['ap-guangzhou'] },
      { name: 'open', credentials: { type: 'none' }, regions: ['ap-shanghai'] },
    ],
  });

  const samples = await daemon.metrics();
  const failed = samples.matching('cvm_monitor_poll_failures_total', { account: 'broken' });
  expect(failed.map(({ labels }) => labels.code)).toEqual(['Credentials']);
  expect(samples.value('cvm_monitor_target_up', { account: 'open' })).toBe(1);
  expect(await daemon.text('/api/v1/targets')).toContain('TENCENTCLOUD_SECRET_ID');
  const line = await daemon.logged('credentials fail');
  expect(line).toMatchObject({ level: 'warn', type: 'environment' });
});
