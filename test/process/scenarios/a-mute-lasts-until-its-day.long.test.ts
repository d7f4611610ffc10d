/** Muted quotas page nobody, until the day that the configuration names. Overdrawn ones are never silent. */
import { expect, test } from 'vitest';
import { configOf, run, startDaemon } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const muted = (until?: string) => ({
  thresholds: {
    overrides: [{ quota_types: ['postpaid'], muted: true, ...(until !== undefined && { until }) }],
  },
});
const ofPostpaid = { quota_type: 'postpaid' };

async function nearlyFull() {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  region.setUsed('postpaid', 'ap-guangzhou-3', 199);
  return { service, region };
}

test('A quota that is muted until a day to come has no thresholds, and check is fine', async () => {
  const { service } = await nearlyFull();
  const config = configOf(service, muted('2099-12-31'));
  const daemon = await startDaemon({ config });

  const samples = await daemon.metrics();
  expect(samples.value('cvm_quota_remaining', ofPostpaid)).toBe(1);
  expect(samples.matching('cvm_quota_remaining_threshold', ofPostpaid)).toEqual([]);
  expect(samples.matching('cvm_quota_remaining_threshold', { quota_type: 'image' })).toHaveLength(
    2,
  );
  expect(await daemon.text('/')).toContain('muted');
  const { code, stdout } = await run('check', { config, flags: ['--output=json'] });
  const { quotas } = JSON.parse(stdout) as {
    quotas: { quota_type: string; thresholds: unknown }[];
  };
  expect(quotas.find(({ quota_type }) => quota_type === 'postpaid')?.thresholds).toBeNull();
  expect(code).toBe(0);
});

test('A mute that has ended has no effect', async () => {
  const { service } = await nearlyFull();
  const config = configOf(service, muted('2020-12-31'));
  const daemon = await startDaemon({ config });

  const samples = await daemon.metrics();
  expect(samples.matching('cvm_quota_remaining_threshold', ofPostpaid)).toHaveLength(2);
  expect((await run('check', { config })).code).toBe(2);
});

test('A muted quota that is overdrawn is critical', async () => {
  const { service, region } = await nearlyFull();
  region.setUsed('postpaid', 'ap-guangzhou-3', 201);
  const config = configOf(service, muted());
  const daemon = await startDaemon({ config });

  expect((await daemon.metrics()).value('cvm_quota_remaining', ofPostpaid)).toBe(-1);
  expect((await run('check', { config })).code).toBe(2);
});
