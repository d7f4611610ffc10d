/** Where a key comes from: each type of credentials signs the requests of its account. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/directories.ts';
import { configOf, run, watchService } from '../../support/program.ts';
import { startService, type Service } from '../../support/service.ts';

const roleArn = 'qcs::cam::uin/100000000002:roleName/monitor';
const podArn = 'qcs::cam::uin/100000000001:roleName/pod';
const key = { TENCENTCLOUD_SECRET_ID: 'id-central', TENCENTCLOUD_SECRET_KEY: 'key-central' };

interface Source {
  readonly credentials?: unknown;
  readonly env: Readonly<Record<string, string>>;
}

/** What is there for every type; a directory with files and a home. */
async function setUp(): Promise<{ service: Service; directory: string }> {
  const service = await startService();
  const central = service.account('central', {
    secretId: 'id-central',
    secretKey: 'key-central',
  });
  const member = service.account('member', { secretId: 'unused', secretKey: 'unused' });
  for (const account of [central, member]) account.region('ap-guangzhou');
  member.region('ap-guangzhou').setLimit('image', null, 20);
  service.roles.set('bound', central);
  service.roles.set(podArn, central);
  service.roles.set(roleArn, member);
  const directory = await temporaryDirectory();
  await writeFile(join(directory, 'id'), 'id-central\n');
  await writeFile(join(directory, 'key'), 'key-central\n');
  await writeFile(join(directory, 'token'), 'web-token\n');
  await mkdir(join(directory, 'home', '.tencentcloud'), { recursive: true });
  await writeFile(
    join(directory, 'home', '.tencentcloud', 'credentials'),
    '[default]\nsecret_id = id-central\nsecret_key = key-central\n[spare]\nsecret_id = no\nsecret_key = no\n',
  );
  return { service, directory };
}

const pod = (directory: string) => ({
  TKE_REGION: 'ap-guangzhou',
  TKE_PROVIDER_ID: 'cls-1a2b3c4d',
  TKE_WEB_IDENTITY_TOKEN_FILE: join(directory, 'token'),
  TKE_ROLE_ARN: podArn,
});
const role = (source?: unknown) => ({
  type: 'assume_role',
  role_arn: roleArn,
  ...(source !== undefined && { source }),
});

const sources: Record<string, (directory: string) => Source> = {
  environment: () => ({ credentials: { type: 'environment' }, env: key }),
  files: (directory) => ({
    credentials: {
      type: 'files',
      secret_id_file: join(directory, 'id'),
      secret_key_file: join(directory, 'key'),
    },
    env: {},
  }),
  profile: (directory) => ({
    credentials: { type: 'profile' },
    env: { HOME: join(directory, 'home') },
  }),
  cvm_role: () => ({ credentials: { type: 'cvm_role' }, env: {} }),
  tke_oidc: (directory) => ({ credentials: { type: 'tke_oidc' }, env: pod(directory) }),
  'assume_role by a key': () => ({ credentials: role({ type: 'environment' }), env: key }),
  'assume_role by a machine': () => ({ credentials: role({ type: 'cvm_role' }), env: {} }),
  'assume_role by a pod': (directory) => ({
    credentials: role({ type: 'tke_oidc' }),
    env: pod(directory),
  }),
  'default, which finds the environment': () => ({ env: key }),
  'default, which finds a profile': (directory) => ({ env: { HOME: join(directory, 'home') } }),
  'default, which finds a pod': (directory) => ({ env: pod(directory) }),
  'default, which finds a machine': () => ({ env: {} }),
};

test.each(Object.keys(sources))(
  'Credentials of the type %s sign the requests of their account',
  async (name) => {
    const { service, directory } = await setUp();
    const { credentials, env } = sources[name]!(directory);
    const config = configOf(service, {
      poll: { schedule: '0 0 1 1 *' },
      api: { metadata_endpoint: service.url },
      account: { credentials, labels: { team: 'payments' } },
    });
    const all = { HOME: directory, ...env };
    const { code, stdout } = await run('check', { config, env: all, flags: ['--output=json'] });

    const { quotas } = JSON.parse(stdout) as { quotas: { quota_type: string; limit: number }[] };
    const limit = quotas.find(({ quota_type }) => quota_type === 'image')?.limit;
    expect(limit).toBe(name.startsWith('assume_role') ? 20 : 10);
    expect(code).toBe(0);
    expect(service.requests.every(({ outcome }) => outcome === 'ok')).toBe(true);
    const polls = service.asked({ action: 'DescribeAccountQuota' });
    expect(polls).toHaveLength(1);
    expect(polls[0]!.signature).toBe('tc3');
  },
);

test('A source that is missing fails its own account, and the reason names what is missing', async () => {
  const { service } = await setUp();
  service.account('open').region('ap-guangzhou');
  const daemon = await watchService(service, {
    poll: { schedule: '0 0 1 1 *' },
    accounts: [
      { name: 'broken', credentials: { type: 'environment' }, regions: ['ap-guangzhou'] },
      { name: 'open', credentials: { type: 'none' }, regions: ['ap-shanghai'] },
    ],
  });
  service.region('ap-shanghai');

  const samples = await daemon.metrics();
  const failed = samples.matching('cvm_monitor_poll_failures_total', { account: 'broken' });
  expect(failed.map(({ labels }) => labels.code)).toEqual(['Credentials']);
  expect(await daemon.text('/api/v1/targets')).toContain('TENCENTCLOUD_SECRET_ID');
  const line = await daemon.logged('credentials fail');
  expect(line).toMatchObject({ level: 'warn', type: 'environment' });
});
