import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, onTestFinished } from 'vitest';
import { startDaemon } from '../support/daemon-process.ts';
import { temporaryDirectory } from '../support/directories.ts';
import { namedPipe } from '../support/named-pipe.ts';
import { randomUUID } from 'node:crypto';
import { startStubService, type StubRequest } from '../support/stub-service.ts';

/** Quota sets of a region, as the `AccountQuota` of section 5.3. */
type AccountQuota = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

interface PlainService {
  readonly url: string;
  /** Quotas by region. */
  readonly quotas: Map<string, AccountQuota>;
  /** Versions by template ID. */
  readonly templates: Map<string, { versions: readonly number[]; defaultVersion: number }>;
  /** Regions with a faulty gateway: 502 and HTML. */
  readonly broken: Set<string>;
}

type State = Omit<PlainService, 'url'>;

/** Listens until the test has finished. */
async function startPlainService(): Promise<PlainService> {
  const state: State = { quotas: new Map(), templates: new Map(), broken: new Set() };
  const stub = await startStubService(({ query }, response) => {
    if (state.broken.has(query.Region ?? '')) {
      response.writeHead(502, { 'Content-Type': 'text/html' });
      response.end('<html><body><h1>502 Bad Gateway</h1></body></html>');
    } else {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ Response: answer(state, query) }));
    }
  });
  onTestFinished(stub.close);
  return { ...state, url: stub.url };
}

type Query = StubRequest['query'];

function answer(state: State, query: Query) {
  const result =
    query.Action === 'DescribeAccountQuota'
      ? accountQuota(state, query)
      : launchTemplateVersions(state, query);
  return { ...result, RequestId: randomUUID() };
}

function accountQuota(state: State, query: Query) {
  const region = query.Region ?? '';
  const AccountQuota = state.quotas.get(region) ?? {};
  return { AppId: 251007416, AccountQuotaOverview: { Region: region, AccountQuota } };
}

function launchTemplateVersions(state: State, query: Query) {
  const id = query.LaunchTemplateId ?? '';
  const { versions, defaultVersion } = state.templates.get(id)!;
  const number = (name: string, absent: number) => Number(query[name] ?? absent);
  const selected = versions.filter(
    (version) => version >= number('MinVersion', 0) && version <= number('MaxVersion', 30),
  );
  const offset = number('Offset', 0);
  return {
    TotalCount: selected.length,
    LaunchTemplateVersionSet: selected
      .slice(offset, offset + number('Limit', 20))
      .map((version) => ({
        LaunchTemplateVersion: version,
        LaunchTemplateVersionData: { ImageId: 'img-8toqc6s3', InstanceType: 'S5.16XLARGE256' },
        CreationTime: '2020-12-17T01:54:31Z',
        LaunchTemplateId: id,
        IsDefaultVersion: version === defaultVersion,
        LaunchTemplateVersionDescription: '',
        CreatedBy: '251009920',
      })),
  };
}

test('an account is polled and stored while the credentials files of others hang', async () => {
  const service = await startPlainService();
  const limitTo = (TotalQuota: number) =>
    service.quotas.set('ap-x', { ImageQuotaSet: [{ UsedQuota: 1, TotalQuota }] });
  limitTo(10);
  const files = join(await temporaryDirectory(), 'secret');
  const hanging = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const [id, key] = [`${files}-${name}-id`, `${files}-${name}-key`];
      await Promise.all([namedPipe(id), namedPipe(key)]);
      const credentials = { type: 'files' as const, secret_id_file: id, secret_key_file: key };
      return { name, credentials, regions: ['ap-x'] };
    }),
  );
  const daemon = await startDaemon({
    config: {
      poll: { schedule: '*/1 * * * * *' },
      // A name: to look it up takes a thread.
      api: { endpoint: service.url.replace('127.0.0.1', 'localhost'), timeout: '3s' },
      accounts: [
        ...hanging,
        { name: 'c', credentials: { type: 'environment' }, regions: ['ap-x'] },
      ],
    },
    env: { TENCENTCLOUD_SECRET_ID: 'id', TENCENTCLOUD_SECRET_KEY: 'key' },
  });
  await daemon.ready();

  const samples = await daemon.metrics();
  const [up, ...down] = ['c', 'a', 'b'].map((account) =>
    samples.value('cvm_monitor_target_up', { account }),
  );

  expect(up).toBe(1);
  expect(down).toEqual([0, 0]);

  // A counter is shown when it is stored.
  limitTo(20);
  const later = await daemon.metricsWhen((each) => each.sum('cvm_quota_limit_changes_total') > 0);
  expect(later.value('cvm_monitor_state_write_failures_total')).toBe(0);
});

test('an account whose files hang delays no other account with files, from the start on', async () => {
  const service = await startPlainService();
  const directory = await temporaryDirectory();
  const credentialsOf = (name: string) => ({
    type: 'files' as const,
    secret_id_file: join(directory, `${name}-id`),
    secret_key_file: join(directory, `${name}-key`),
  });
  await namedPipe(credentialsOf('a').secret_id_file);
  for (const file of ['b-id', 'b-key']) await writeFile(join(directory, file), 'text');
  const daemon = await startDaemon({
    config: {
      poll: { schedule: '*/1 * * * * *' },
      api: { endpoint: service.url },
      accounts: ['a', 'b'].map((name) => {
        return { name, credentials: credentialsOf(name), regions: ['ap-x'] };
      }),
    },
  });

  const samples = await daemon.metricsWhen(
    (each) => each.value('cvm_monitor_polls_total', { account: 'b' })! >= 3,
  );

  expect(samples.value('cvm_monitor_target_up', { account: 'b' })).toBe(1);
  expect(samples.matching('cvm_monitor_poll_failures_total', { account: 'b' })).toEqual([]);
  const later = await daemon.metricsWhen(
    (each) => each.value('cvm_monitor_poll_failures_total', { account: 'a' })! >= 3,
  );
  expect(later.matching('cvm_monitor_poll_failures_total', { account: 'b' })).toEqual([]);
});

test('calls for credentials, the web configuration and records keep three threads together', async () => {
  const service = await startPlainService();
  const directory = await temporaryDirectory();
  const hanging = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const file = join(directory, name);
      await namedPipe(file);
      const credentials = { type: 'files' as const, secret_id_file: file, secret_key_file: file };
      return { name, credentials, regions: ['ap-x'] };
    }),
  );
  const limitTo = (TotalQuota: number) =>
    service.quotas.set('ap-x', { ImageQuotaSet: [{ UsedQuota: 1, TotalQuota }] });
  limitTo(10);
  const webConfig = join(directory, 'web.yaml');
  await writeFile(webConfig, '{}');
  const others = { name: 'c', credentials: { type: 'none' as const }, regions: ['ap-x'] };
  const daemon = await startDaemon({
    config: {
      poll: { schedule: '*/1 * * * * *' },
      api: { endpoint: service.url },
      accounts: [...hanging, others],
    },
    flags: [`--web.config.file=${webConfig}`],
  });
  await daemon.ready();

  await namedPipe(webConfig);
  await daemon.logged('web configuration not reloaded; the one before stays in force');
  limitTo(20);

  const failures = async () =>
    (await daemon.metrics()).value('cvm_monitor_state_write_failures_total');
  await expect.poll(failures).toBeGreaterThan(0);
  const { reason } = await daemon.logged(
    'records cannot be stored; polling goes on, changes are counted later',
  );
  expect(reason).toContain('not tried');
});
