/** A reload changes what the file changed, and nothing else: no poll is lost, none is asked twice. */
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { configOf, spawnDaemon, startDaemon, watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const quiet = { poll: { schedule: '0 0 1 1 *' } };

test('A poll that is under way is neither ended nor begun again by a reload that adds a region', async () => {
  const service = await startService('ap-guangzhou', 'ap-shanghai');
  service.fault({ region: 'ap-guangzhou', delayMs: 1_500 });
  const daemon = await spawnDaemon({
    config: configOf(service, { ...quiet, regions: ['ap-guangzhou'] }),
  });
  await daemon.url();
  await expect.poll(() => service.asked({ region: 'ap-guangzhou' }).length).toBe(1);

  const regions = ['ap-guangzhou', 'ap-shanghai'];
  expect(await daemon.reload(configOf(service, { ...quiet, regions }))).toBe(200);
  await daemon.metricsWhen(
    (samples) => samples.value('cvm_monitor_target_up', { region: 'ap-shanghai' }) === 1,
  );
  await daemon.metricsWhen(
    (samples) => samples.value('cvm_monitor_target_up', { region: 'ap-guangzhou' }) === 1,
  );

  expect(service.asked({ region: 'ap-guangzhou' })).toHaveLength(1);
  expect(service.asked({ region: 'ap-shanghai' })).toHaveLength(1);
});

test('Ten reloads in a row end with the last edit, and ask for nothing twice', async () => {
  const all = Array.from({ length: 10 }, (_, n) => `ap-region-${n}`);
  const service = await startService(...all);
  const daemon = await watchService(service, { ...quiet, regions: all.slice(0, 1) });

  const answers = [];
  for (let n = 1; n <= 10; n += 1) {
    await daemon.configure(configOf(service, { ...quiet, regions: all.slice(0, n) }));
    answers.push(daemon.get('/-/reload', { method: 'POST' }));
    daemon.signal('SIGHUP');
  }
  const statuses = (await Promise.all(answers)).map(({ status }) => status);

  expect(new Set(statuses)).toEqual(new Set([200]));
  const samples = await daemon.metricsWhen(
    (each) => each.matching('cvm_quota_used', { quota_type: 'image' }).length === 10,
  );
  expect(samples.value('cvm_monitor_config_last_reload_successful')).toBe(1);
  for (const region of all) expect(service.asked({ region })).toHaveLength(1);
});

test('SIGHUP reloads as a request does', async () => {
  const service = await startService('ap-guangzhou', 'ap-shanghai');
  const daemon = await watchService(service, quiet);

  await daemon.configure(configOf(service, { ...quiet, regions: ['ap-shanghai'] }));
  daemon.signal('SIGHUP');

  await daemon.logged('configuration reloaded');
  const samples = await daemon.metricsWhen(
    (each) => each.matching('cvm_quota_used', { region: 'ap-shanghai' }).length === 5,
  );
  expect(samples.matching('cvm_quota_used', { region: 'ap-guangzhou' })).toEqual([]);
  expect(samples.matching('cvm_monitor_target_up', { region: 'ap-guangzhou' })).toEqual([]);
  await observe(daemon, 'another region');
});

test('A file that did not change changes nothing', async () => {
  const service = await startService('ap-guangzhou');
  const config = configOf(service, quiet);
  const daemon = await startDaemon({ config });
  const before = service.requests.length;

  expect(await daemon.reload(config)).toBe(200);
  await daemon.logged('configuration is unchanged');
  expect(service.requests).toHaveLength(before);
});
