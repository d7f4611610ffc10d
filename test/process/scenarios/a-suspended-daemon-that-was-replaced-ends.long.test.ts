/** A daemon sleeps, another one takes its directory: when the first wakes up, it ends and overwrites nothing. */
import { expect, test } from 'vitest';
import { configOf, startDaemon } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const raised = { quota_type: 'image', direction: 'raised' };
const counter = 'cvm_quota_limit_changes_total';

test('A suspended daemon that was replaced exits 1 when it wakes up, and no change is lost or doubled', async () => {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  const config = configOf(service, {});
  const first = await startDaemon({ config });
  region.setLimit('image', null, 11);
  await first.metricsWhen((each) => each.value(counter, raised) === 1);

  first.signal('SIGSTOP');
  // It takes the lock over after 9 s without a touch.
  const second = await startDaemon({ config, storagePath: first.storagePath });
  region.setLimit('image', null, 12);
  await second.metricsWhen((each) => each.value(counter, raised) === 2);
  first.signal('SIGCONT');

  expect(await first.exited).toEqual({ code: 1, signal: null });
  region.setLimit('image', null, 13);
  await second.metricsWhen((each) => each.value(counter, raised) === 3);
  await second.restart();
  expect((await second.cycle()).value(counter, raised)).toBe(3);
});
