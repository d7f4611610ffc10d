/** `check` in scripts: what it takes by flags, what it prints, and 3 when it could not look. */
import { expect, test } from 'vitest';
import { observeText } from '../../support/observe.ts';
import { configOf, run, start, type Config } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const zone = 'ap-guangzhou-3';
const fast = { api: { max_attempts: 1, timeout: '5s' } };

const check = (config: Config, ...flags: string[]) => run('check', { config, flags });

test('check exits 3 when no service answers, when it hangs, and when its flags or file are wrong', async () => {
  const service = await startService('ap-guangzhou');
  const config = configOf(service, fast);
  expect((await check(config, '--region=ap-nowhere')).code).toBe(3);
  expect((await check(config, '--account=nobody')).code).toBe(3);
  expect((await check(config, '--no-such-flag')).code).toBe(3);
  expect((await check({ ...config, accounts: [] })).code).toBe(3);
  expect(service.requests).toEqual([]);

  service.fault({ hangs: true });
  expect((await check(config, '--timeout=2s')).code).toBe(3);
  await service.stop();
  expect((await check(config)).code).toBe(3);
});

test('check takes other thresholds by flags, and mutes and overrides from the file', async () => {
  const service = await startService('ap-guangzhou');
  const config = configOf(service, fast);
  expect((await check(config, '--warn-below=85%')).code).toBe(1);
  expect((await check(config, '--warn-below=85%', '--critical-below=81%')).code).toBe(2);
  expect((await check(config, '--critical-below=21%')).code).toBe(3);

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
  const service = await startService('ap-guangzhou');
  const region = service.region('ap-guangzhou');
  region.createTemplate('lt-b8v1kcyq', { versions: [1, 5, 47], default: 5 });
  const config = configOf(service, {
    ...fast,
    regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] }],
  });

  const metrics = await run('check', { config, flags: ['--output=prometheus'] });
  expect(metrics.code).toBe(0);
  observeText(metrics.stdout, 'as metrics');

  const json = await run('check', { config, flags: ['--output=json'] });
  observeText(json.stdout, 'as JSON');
});

test('check that is interrupted exits with the code of a shell, and prints no verdict', async () => {
  const service = await startService('ap-guangzhou');
  service.fault({ hangs: true });
  const check = await start('check', { config: configOf(service, {}) });
  await expect.poll(() => service.requests.length).toBe(1);

  check.signal('SIGINT');
  expect(await check.result).toMatchObject({ code: 130, stdout: '' });
});
