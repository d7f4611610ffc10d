/** `check` in scripts: what it takes by flags, what it prints, and 3 when it could not look. */
import { expect, test } from 'vitest';
import { asked, emulateRegions, regionOf, templateWith } from '../../support/emulator.ts';
import { observeText } from '../../support/observe.ts';
import { configOf, run, start, type Config } from '../../support/program.ts';

const zone = 'ap-guangzhou-3';
const fast = { api: { max_attempts: 1, timeout: '5s' } };

const check = (config: Config, ...flags: string[]) => run('check', { config, flags });

test('check exits 3 when no service answers, when it hangs, and when its flags or file are wrong', async () => {
  const emulator = await emulateRegions('ap-guangzhou');
  const config = configOf(emulator, fast);
  expect((await check(config, '--region=ap-nowhere')).code).toBe(3);
  expect((await check(config, '--account=nobody')).code).toBe(3);
  expect((await check(config, '--no-such-flag')).code).toBe(3);
  expect((await check({ ...config, accounts: [] })).code).toBe(3);
  expect(asked(emulator)).toEqual([]);

  emulator.faults.add({ effect: 'hang' });
  expect((await check(config, '--timeout=2s')).code).toBe(3);
  await emulator.close();
  expect((await check(config)).code).toBe(3);
});

test('check takes other thresholds by flags, and mutes and overrides from the file', async () => {
  const emulator = await emulateRegions('ap-guangzhou');
  const config = configOf(emulator, fast);
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
  const launch_templates = [{ id: 'lt-b8v1kcyq', ...templateWith(5, 1, 5, 47) }];
  const emulator = await emulateRegions(regionOf('ap-guangzhou', { launch_templates }));
  const config = configOf(emulator, {
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
  const emulator = await emulateRegions('ap-guangzhou');
  emulator.faults.add({ effect: 'hang' });
  const check = await start('check', { config: configOf(emulator, {}) });
  await expect.poll(() => emulator.requests.total).toBe(1);

  check.signal('SIGINT');
  expect(await check.result).toMatchObject({ code: 130, stdout: '' });
});
