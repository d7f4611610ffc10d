/** `check` for scripts and Nagios: 0 fine, 1 warning, 2 critical, 3 could not tell. 0 means that it saw quotas. */
import { expect, test } from 'vitest';
import { observeText } from '../../support/observe.ts';
import { configOf, run, start, type Config } from '../../support/program.ts';
import { startService, type Service } from '../../support/service.ts';

const zone = 'ap-guangzhou-3';
const ofService = (service: Service, more: Parameters<typeof configOf>[1] = {}): Config =>
  configOf(service, { api: { max_attempts: 1, timeout: '5s' }, ...more });

async function startWatched() {
  const service = await startService();
  return { service, region: service.region('ap-guangzhou') };
}

async function exitCode(config: Config, ...flags: string[]): Promise<number | null> {
  const { code } = await run('check', { config, flags });
  return code;
}

test('check exits 0 when enough of every quota is left', async () => {
  const { service } = await startWatched();

  const { code, stdout, stderr } = await run('check', { config: ofService(service) });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^(FINE|OK)\b/i);
  expect(stderr).toBe('');
  expect(service.requests).toHaveLength(1);
});

test('check exits 1 below the warning, and 2 below the critical threshold or above the limit', async () => {
  const { service, region } = await startWatched();
  const config = ofService(service);

  region.setUsed('postpaid', zone, 200 - 39);
  expect(await exitCode(config)).toBe(1);
  region.setUsed('postpaid', zone, 200 - 19);
  expect(await exitCode(config)).toBe(2);
  region.setUsed('postpaid', zone, 210);
  const { code, stdout } = await run('check', { config });
  expect(code).toBe(2);
  expect(stdout).toMatch(/^CRITICAL\b.*postpaid/);
});

test('check exits 3 when a target cannot be polled, also when another quota is only low', async () => {
  const { service, region } = await startWatched();
  service.region('ap-shanghai');
  const config = ofService(service, { regions: ['ap-guangzhou', 'ap-shanghai'] });
  const fault = service.fault({ region: 'ap-shanghai', error: 'UnauthorizedOperation' });

  expect(await exitCode(config)).toBe(3);
  region.setUsed('postpaid', zone, 200 - 39);
  expect(await exitCode(config)).toBe(3);
  // What is known to be critical goes first.
  region.setUsed('postpaid', zone, 200);
  expect(await exitCode(config)).toBe(2);
  fault.end();
  region.setUsed('postpaid', zone, 40);
  expect(await exitCode(config)).toBe(0);
});

test('check exits 3, not 0, when the answer has no quota, misses a zone or cannot be read', async () => {
  const { service, region } = await startWatched();
  const { sets } = region;
  const config = ofService(service);

  region.sets = {};
  expect(await exitCode(config)).toBe(3);
  region.sets = { PostPaidQuotaSet: [], ImageQuotaSet: null };
  expect(await exitCode(config)).toBe(3);
  region.sets = { ...sets, PostPaidQuotaSet: [{ Zone: zone, UsedQuota: 'many' }] };
  expect(await exitCode(config)).toBe(3);
  region.sets = sets;
  expect(await exitCode(config)).toBe(0);
  const missing = [{ name: 'ap-guangzhou', zones: [zone, 'ap-guangzhou-9'] }];
  expect(await exitCode(ofService(service, { regions: missing }))).toBe(3);
});

test('check exits 3 when no service answers, when it hangs, and when its flags or file are wrong', async () => {
  const { service } = await startWatched();
  const config = ofService(service);
  expect(await exitCode(config, '--region=ap-nowhere')).toBe(3);
  expect(await exitCode(config, '--account=nobody')).toBe(3);
  expect(await exitCode(config, '--no-such-flag')).toBe(3);
  expect(await exitCode({ ...config, accounts: [] })).toBe(3);
  expect(service.requests).toEqual([]);

  service.fault({ hangs: true });
  expect(await exitCode(config, '--timeout=2s')).toBe(3);
  await service.stop();
  expect(await exitCode(config)).toBe(3);
});

test('check takes other thresholds by flags, and mutes and overrides from the file', async () => {
  const { service } = await startWatched();
  const config = ofService(service);
  expect(await exitCode(config, '--warn-below=85%')).toBe(1);
  expect(await exitCode(config, '--warn-below=85%', '--critical-below=81%')).toBe(2);
  expect(await exitCode(config, '--critical-below=21%')).toBe(3);

  const overrides = [
    { quota_types: ['image'], muted: true },
    { zones: [zone], warning: '90%' },
  ];
  const strict = { ...config, thresholds: { warning: '70%', overrides } };
  const { code, stdout } = await run('check', { config: strict, flags: ['--output=json'] });
  expect(code).toBe(1);
  const { status, quotas } = JSON.parse(stdout) as { status: string; quotas: Row[] };
  expect(status).toBe('warning');
  const severities = quotas.map(({ quota_type, severity }) => `${quota_type} ${severity}`);
  expect(severities.toSorted()).toEqual([
    'disaster_recover_group fine',
    'image fine',
    'postpaid warning',
    'prepaid fine',
    'spotpaid warning',
  ]);
});

interface Row {
  readonly quota_type: string;
  readonly severity: string;
}

test('check prints the metrics of what it polled, and one document for scripts', async () => {
  const { service, region } = await startWatched();
  region.createTemplate('lt-b8v1kcyq', { versions: [1, 5, 47], default: 5 });
  const config = ofService(service, {
    regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] }],
  });

  const metrics = await run('check', { config, flags: ['--output=prometheus'] });
  expect(metrics.code).toBe(0);
  observeText(metrics.stdout, 'as metrics');

  const json = await run('check', { config, flags: ['--output=json'] });
  observeText(json.stdout, 'as JSON');
});

test('check that is interrupted exits with the code of a shell, and prints no verdict', async () => {
  const { service } = await startWatched();
  service.fault({ hangs: true });
  const check = await start('check', { config: configOf(service, {}) });
  await expect.poll(() => service.requests.length).toBe(1);

  check.signal('SIGINT');
  expect(await check.result).toMatchObject({ code: 130, stdout: '' });
});
