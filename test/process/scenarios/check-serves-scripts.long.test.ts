/** `check` in scripts: what it takes by flags, what it prints, and 3 when it could not look. */
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
