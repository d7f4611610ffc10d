/** `emulate`: a service of its own, whose quotas, time and faults a test changes over HTTP. */
import { expect, test } from 'vitest';
import { configOf, run, startEmulator, watchService } from '../../support/program.ts';

/** A scenario of one region, in which there may be ten images. */
const withRegion = (more = {}) => ({
  accounts: [
    { name: 'production', regions: [{ name: 'ap-guangzhou', image: { limit: 10 }, ...more }] },
  ],
});

async function control(url: string, path: string, order?: unknown): Promise<Response> {
  return fetch(`${url}/_emulator/${path}`, {
    ...(order !== undefined && { method: 'POST', body: JSON.stringify(order) }),
  });
}

test('What the emulator is told over HTTP is what a daemon sees and counts', async () => {
  const { url } = await startEmulator({
    ...withRegion({
      launch_templates: [{ id: 'lt-b8v1kcyq', default_version: 1, versions: [1, 2] }],
    }),
    timeline: [{ at: '1h', do: 'set-used', region: 'ap-guangzhou', quota_type: 'image', used: 9 }],
  });
  const daemon = await watchService(
    { url },
    {
      regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] }],
    },
  );
  const region = 'ap-guangzhou';
  const orders = [
    { do: 'set-limit', region, quota_type: 'image', limit: 12 },
    { do: 'set-default-version', region, template_id: 'lt-b8v1kcyq', version: 2 },
  ];
  expect((await control(url, 'state', orders)).status).toBe(200);

  const samples = await daemon.cycle();
  expect(samples.value('cvm_quota_limit', { quota_type: 'image' })).toBe(12);
  expect((await daemon.feed()).toSorted()).toEqual([
    'image: quota-limit-raised 10 → 12',
    'lt-b8v1kcyq: default-version-changed 1 → 2',
  ]);
  expect((await control(url, 'time', { advance: '2h' })).status).toBe(200);
  const later = await daemon.cycle();
  expect(later.value('cvm_quota_used', { quota_type: 'image' })).toBe(9);
});

test('Faults of the emulator fail a check, and end when they are removed', async () => {
  const { url } = await startEmulator(withRegion());
  const config = configOf({ url }, { api: { max_attempts: 1 } });
  expect((await run('check', { config })).code).toBe(0);

  const fault = { effect: 'error', code: 'UnauthorizedOperation', region: 'ap-guangzhou' };
  expect((await control(url, 'faults', fault)).ok).toBe(true);
  const { code, stdout } = await run('check', { config });
  expect(code).toBe(3);
  expect(stdout).toContain('UnauthorizedOperation');
  await fetch(`${url}/_emulator/faults`, { method: 'DELETE' });
  expect((await run('check', { config })).code).toBe(0);
});

test('The emulator refuses a wrong order with 400, a wrong scenario with its line, and ends at a signal with 0', async () => {
  const { url, emulator } = await startEmulator(withRegion());
  expect((await control(url, 'state', { do: 'set-use' })).status).toBe(400);
  expect((await control(url, 'faults', { effect: 'rain' })).status).toBe(400);
  emulator.signal('SIGTERM');
  expect((await emulator.result).code).toBe(0);

  const wrong = await run('emulate', {
    flags: ['--scenario=-', '--web.listen-address=127.0.0.1:0', '--scenario=/nowhere.yaml'],
  });
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('/nowhere.yaml');
});
