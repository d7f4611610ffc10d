/** Bytes that are no answer of the service fail the poll, and nothing else: no figure, no memory, no crash. */
import { expect, test } from 'vitest';
import { watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const right = '{"Response":{"AppId":1,"AccountQuotaOverview":{"Region":"ap-x","AccountQuota":{';
const nested = `{"Response":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
const bodies = {
  'is HTML': '<html>an error</html>',
  'is empty': '',
  'is cut off': right,
  'is a list': '[]',
  'is text': '"text"',
  'has no Response': '{}',
  'has another shape': '{"Response":{"AccountQuotaOverview":7,"RequestId":"r"}}',
  'is nested without end': nested,
  'is huge': `{"Response":{"AppId":1,"Text":"${'x'.repeat(20_000_000)}"}}`,
  'is of a million rows': `{"Response":{"Rows":[${'{},'.repeat(999_999)}{}]}}`,
};
const regions = Object.keys(bodies).map((_what, n) => `ap-odd-${n}`);

test('Each answer that is none fails its own poll with a code, and a healthy region stays up', async () => {
  const service = await startService('ap-guangzhou');
  for (const [n, body] of Object.values(bodies).entries()) {
    service.region(regions[n]!);
    service.fault({ region: regions[n]!, body });
  }
  const daemon = await watchService(service, {
    poll: { schedule: '0 0 1 1 *' },
    api: { max_attempts: 1, timeout: '20s' },
    regions: [...regions, 'ap-guangzhou'],
  });

  const samples = await daemon.metrics();
  for (const [n, what] of Object.keys(bodies).entries()) {
    const region = regions[n]!;
    expect([what, samples.value('cvm_monitor_target_up', { region })]).toEqual([what, 0]);
    const [failure] = samples.matching('cvm_monitor_poll_failures_total', { region });
    expect([what, failure?.labels.code]).toEqual([what, 'InvalidResponse']);
    expect(samples.matching('cvm_quota_used', { region })).toEqual([]);
  }
  expect(samples.value('cvm_monitor_target_up', { region: 'ap-guangzhou' })).toBe(1);
  expect(samples.value('process_resident_memory_bytes')).toBeLessThan(400e6);
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
});
