/** Thresholds and their overrides mean the same in metrics, in `check` and on the page. */
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { configOf, run, startDaemon, watchService } from '../../support/program.ts';
import { startService, type Service } from '../../support/service.ts';

const thresholds = {
  warning: '30%',
  critical: 20,
  overrides: [
    { quota_types: ['image'], warning: 9, critical: 8 },
    { regions: ['ap-shanghai'], quota_types: ['postpaid'], warning: '90%' },
    { zones: ['ap-guangzhou-3'], warning: '90%', critical: '85%' },
  ],
};
const configured = (service: Service) =>
  configOf(service, { thresholds, regions: ['ap-guangzhou', 'ap-shanghai'] });

/** The figures are those of the service: 160 of 200 postpaid, 6 of 10 images, 180 of 240 vCPUs remain. */
const twoRegions = () => startService('ap-guangzhou', 'ap-shanghai');

test('The first override that applies to a quota counts, and the rest is the default', async () => {
  const service = await twoRegions();
  const daemon = await startDaemon({ config: configured(service) });

  const samples = await daemon.metrics();
  const threshold = (region: string, quota_type: string, severity: string) =>
    samples.value('cvm_quota_remaining_threshold', { region, quota_type, severity });
  expect(threshold('ap-guangzhou', 'image', 'warning')).toBe(9);
  expect(threshold('ap-shanghai', 'image', 'critical')).toBe(8);
  expect(threshold('ap-shanghai', 'postpaid', 'warning')).toBe(180);
  expect(threshold('ap-shanghai', 'postpaid', 'critical')).toBe(20);
  expect(threshold('ap-guangzhou', 'postpaid', 'warning')).toBe(180);
  expect(threshold('ap-guangzhou', 'postpaid', 'critical')).toBe(170);
  expect(threshold('ap-shanghai', 'spotpaid', 'warning')).toBe(72);
  await observe(daemon, 'with overrides', { json: ['/api/v1/quotas'] });
});

test('check and the daemon give each quota the same severity', async () => {
  const service = await twoRegions();
  const daemon = await startDaemon({ config: configured(service) });
  const { quotas } = (await daemon.json('/api/v1/quotas')) as { quotas: Quota[] };

  const { code, stdout } = await run('check', {
    config: configured(service),
    flags: ['--output=json'],
  });

  const checked = (JSON.parse(stdout) as { quotas: Quota[] }).quotas;
  expect(severities(checked)).toEqual(severities(quotas));
  expect(severities(quotas)).toContain('ap-shanghai/postpaid: warning');
  expect(severities(quotas)).toContain('ap-guangzhou/postpaid: critical');
  expect(severities(quotas)).toContain('ap-guangzhou/image: critical');
  expect(severities(quotas)).toContain('ap-shanghai/spotpaid: fine');
  expect(code).toBe(2);
});

test('Thresholds that are exactly reached are fine, one less is not', async () => {
  const service = await startService();
  const lefts = [40, 39, 20, 19];
  const zones = lefts.map((_left, n) => `ap-guangzhou-${n + 1}`);
  const region = service.region('ap-guangzhou', { zones });
  for (const [n, left] of lefts.entries()) {
    region.setUsed('postpaid', zones[n]!, 200 - left);
  }
  const config = configOf(service, { account: { quota_types: ['postpaid'] } });

  const { code, stdout } = await run('check', { config, flags: ['--output=json'] });
  const { quotas } = JSON.parse(stdout) as { quotas: (Quota & { remaining: number })[] };
  const found = new Map(quotas.map((each) => [each.remaining, each.severity]));
  expect(lefts.map((left) => found.get(left))).toEqual([
    ...['fine', 'warning', 'warning', 'critical'],
  ]);
  expect(code).toBe(2);
});

test('Changed thresholds apply at once, and cause no request', async () => {
  const service = await startService('ap-guangzhou');
  const quiet = { poll: { schedule: '0 0 1 1 *' } };
  const daemon = await watchService(service, quiet);
  const before = service.requests.length;

  const status = await daemon.reload(configOf(service, { ...quiet, thresholds: { warning: 165 } }));

  expect(status).toBe(200);
  const samples = await daemon.metricsWhen(
    (each) =>
      each.value('cvm_quota_remaining_threshold', {
        quota_type: 'postpaid',
        severity: 'warning',
      }) === 165,
  );
  expect(samples.value('cvm_quota_limit', { quota_type: 'postpaid' })).toBe(200);
  expect(service.requests).toHaveLength(before);
});

interface Quota {
  readonly region: string;
  readonly quota_type: string;
  readonly severity: string;
}

const severities = (quotas: readonly Quota[]) =>
  quotas
    .map(({ region, quota_type, severity }) => `${region}/${quota_type}: ${severity}`)
    .toSorted();
