/** What an answer lacks is unknown: said on every surface, and never counted as a change. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../support/command-line.ts';
import { startDaemon, type ConfigInput, type DaemonProcess } from '../support/daemon-process.ts';
import { temporaryFile } from '../support/directories.ts';
import { answerFields, startStubService } from '../support/stub-service.ts';

type Sets = Record<string, unknown>;

const zone = 'ap-guangzhou-3';
const row = (fields: object = {}) => ({
  Zone: zone,
  UsedQuota: 1,
  RemainingQuota: 9,
  TotalQuota: 10,
  ...fields,
});
const version = (LaunchTemplateVersion: unknown, data?: object) => ({
  LaunchTemplateVersion,
  IsDefaultVersion: LaunchTemplateVersion === 1,
  LaunchTemplateVersionData: data ?? { ImageId: 'img-1', InstanceType: 'S5' },
});
const sound: Sets = { PostPaidQuotaSet: [row()] };

/** A service whose answers a test replaces as it goes; it ends with the test. */
async function startService() {
  const answers = {
    quotas: sound,
    versions: { TotalCount: 3, LaunchTemplateVersionSet: [version(1), version(2), version(3)] } as {
      TotalCount: number;
      LaunchTemplateVersionSet: unknown[];
    },
  };
  const stub = await startStubService(({ query }, response) => {
    if (query.Action === 'DescribeAccountQuota') {
      answerFields(response, {
        AppId: 1,
        AccountQuotaOverview: { AccountQuota: answers.quotas },
      });
      return;
    }
    const { TotalCount, LaunchTemplateVersionSet: all } = answers.versions;
    const offset = Number(query.Offset);
    const LaunchTemplateVersionSet = all.slice(offset, offset + Number(query.Limit));
    answerFields(response, { TotalCount, LaunchTemplateVersionSet });
  });
  onTestFinished(stub.close);
  return { answers, url: stub.url, requests: stub.requests };
}

interface RegionInput {
  readonly zones?: string[];
  readonly launch_templates?: string[];
}

const configOf = (url: string, region: RegionInput = {}): ConfigInput => ({
  poll: { schedule: '* * * * * *', stale_after: '1h' },
  api: { endpoint: url, max_attempts: 1 },
  accounts: [
    { name: 'a', credentials: { type: 'none' }, regions: [{ name: 'ap-guangzhou', ...region }] },
  ],
});

async function check(url: string, region: RegionInput = {}) {
  const file = await temporaryFile('config.yaml', JSON.stringify(configOf(url, region)));
  return runCommand('check', `--config.file=${file}`);
}

/** What each surface of a daemon says of its only target. */
async function surfaces(daemon: DaemonProcess) {
  const metrics = await daemon.metrics();
  const page = await (await daemon.get('/')).text();
  const { targets } = (await (await daemon.get('/api/v1/targets')).json()) as {
    targets: { incomplete: boolean; missing: string[]; up: boolean }[];
  };
  return { metrics, page, target: targets[0] };
}

/** Resolves when this many more polls of a target have ended. */
async function polls(daemon: DaemonProcess, more: number, operation: string): Promise<void> {
  const count = (samples: Awaited<ReturnType<DaemonProcess['metrics']>>) =>
    samples.sum('cvm_monitor_polls_total', { operation });
  const before = count(await daemon.metrics());
  await daemon.metricsWhen((samples) => count(samples) >= before + more);
}

test('an absent, null or empty set is no fault beside a quota', async () => {
  const { answers, url } = await startService();
  answers.quotas = { ...sound, SpotPaidQuotaSet: [], PrePaidQuotaSet: null };

  const { code, stdout } = await check(url);

  expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([
    0,
    expect.stringMatching(/^FINE {2}\d+ quotas? fine/),
  ]);
});

describe('a launch template', () => {
  const template = { launch_templates: ['lt-b8v1kcyq'] };

  test('whose answers are malformed three times counts nothing, nor when its rows are back', async () => {
    const { answers, url } = await startService();
    const daemon = await startDaemon({ config: configOf(url, template) });
    await daemon.ready();
    const before = answers.versions;
    const quotasBefore = answers.quotas;
    const broken = version('three');

    answers.versions = { TotalCount: 3, LaunchTemplateVersionSet: [version(1), broken, null] };
    answers.quotas = { PostPaidQuotaSet: [row({ TotalQuota: null }), null] };
    await polls(daemon, 4, 'DescribeLaunchTemplateVersions');
    const during = await daemon.metrics();
    answers.versions = before;
    answers.quotas = quotasBefore;
    await polls(daemon, 2, 'DescribeLaunchTemplateVersions');
    await daemon.metricsWhen((samples) => samples.sum('cvm_monitor_target_incomplete') === 0);

    const after = await daemon.metrics();
    const changes = (await (await daemon.get('/api/v1/changes')).json()) as { changes: unknown[] };
    expect(during.sum('cvm_monitor_target_incomplete')).toBe(2);
    for (const samples of [during, after]) {
      expect(samples.matching('cvm_quota_limit_changes_total')).toHaveLength(2);
      expect(samples.sum('cvm_quota_limit_changes_total')).toBe(0);
      expect(samples.value('cvm_launch_template_default_version_changes_total')).toBe(0);
    }
    expect(changes.changes).toEqual([]);
    const ends = daemon.log.filter(({ msg }) => msg === 'answer is complete again');
    expect(ends).toHaveLength(2);
  });

  test('of more than 1,000 versions fails with a clear code', async () => {
    const { answers, url } = await startService();
    const all = Array.from({ length: 1_001 }, (_, index) => version(index + 1));
    answers.versions = { TotalCount: all.length, LaunchTemplateVersionSet: all };

    const { code, stdout } = await check(url, template);

    expect(code).toBe(3);
    expect(stdout).toMatch(/lt-b8v1kcyq +ap-guangzhou +InvalidResponse +.*1000 versions/);
  });

  test('whose default version has no data at all is complete', async () => {
    const { answers, url } = await startService();
    answers.versions = { TotalCount: 1, LaunchTemplateVersionSet: [version(1, {})] };

    const { code } = await check(url, template);

    expect(code).toBe(0);
  });
});

describe('a configured zone that is not there', () => {
  const wrong = { zones: [zone, 'ap-guangzhou-9'] };

  test('is no longer missing with the first poll after a reload that removes it', async () => {
    const { url } = await startService();
    const daemon = await startDaemon({ config: configOf(url, wrong) });
    await daemon.ready();

    await daemon.configure(configOf(url, { zones: [zone] }));
    await daemon.get('/-/reload', { method: 'POST' });
    await polls(daemon, 1, 'DescribeAccountQuota');

    const { metrics, page, target } = await surfaces(daemon);
    expect(metrics.value('cvm_monitor_target_incomplete')).toBe(0);
    expect(target).toMatchObject({ incomplete: false, missing: [] });
    expect(page).not.toContain('ap-guangzhou-9');
    expect(daemon.log.map(({ msg }) => msg)).toContain('answer is complete again');
  });
});
