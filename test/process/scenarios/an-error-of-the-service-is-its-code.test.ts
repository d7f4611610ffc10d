/** Section 7 of the service's documentation: a poll that is refused fails with the code, and nothing else does. */
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const templateCodes = [
  'InternalError',
  'InternalServerError',
  'InvalidParameter',
  'InvalidParameterCombination',
  'InvalidParameterValue',
  'InvalidParameterValue.LaunchTemplateIdMalformed',
  'InvalidParameterValue.LaunchTemplateIdNotExisted',
  'InvalidParameterValue.LaunchTemplateIdVerNotExisted',
  'InvalidParameterValue.LaunchTemplateNotFound',
  'InvalidParameterValue.LaunchTemplateVersion',
  'InvalidParameterValue.LimitExceeded',
  'InvalidParameterValue.NotSupported',
  'MissingParameter',
  'UnauthorizedOperation',
  'UnauthorizedOperation.MFAExpired',
  'UnauthorizedOperation.MFANotFound',
  'UnknownParameter',
  'UnsupportedOperation',
];
const quotaCodes = [
  'InvalidFilter',
  'InvalidFilterValue.LimitExceeded',
  'InvalidParameterValue.Range',
  'InvalidZone.MismatchRegion',
  'UnsupportedOperation',
];
const templates = templateCodes.map((code, n) => ({
  code,
  id: `lt-code${String(n).padStart(4, '0')}`,
}));
const regions = quotaCodes.map((code, n) => ({ code, region: `ap-code-${n + 1}` }));

test('Each error code of the two operations is the code of the failure, of that target alone', async () => {
  const service = await startService();
  const home = service.region('ap-guangzhou');
  home.createTemplate('lt-healthy1', { versions: [1, 2], default: 2 });
  for (const { code, id } of templates) {
    home.createTemplate(id, { versions: [1], default: 1 });
    service.fault({ template: id, error: code });
  }
  for (const { code, region } of regions) {
    service.region(region);
    service.fault({ region, error: code });
  }
  const daemon = await watchService(service, {
    poll: { schedule: '0 0 1 1 *' },
    api: { max_attempts: 1, requests_per_second: 20 },
    regions: [
      ...regions.map(({ region }) => region),
      {
        name: 'ap-guangzhou',
        launch_templates: ['lt-healthy1', ...templates.map(({ id }) => id)],
      },
    ],
  });

  const samples = await daemon.metrics();
  for (const { code, id } of templates) {
    const of = { template_id: id };
    expect(samples.value('cvm_monitor_poll_failures_total', { ...of, code })).toBe(1);
    expect(samples.value('cvm_monitor_target_up', of)).toBe(0);
  }
  for (const { code, region } of regions) {
    expect(samples.value('cvm_monitor_poll_failures_total', { region, code })).toBe(1);
    expect(samples.value('cvm_monitor_target_up', { region })).toBe(0);
  }
  expect(samples.matching('cvm_monitor_poll_failures_total')).toHaveLength(23);
  expect(samples.matching('cvm_monitor_target_up').filter(({ value }) => value === 1)).toHaveLength(
    2,
  );
  expect(samples.value('cvm_launch_template_default_version')).toBe(2);
  await observe(daemon, 'all failed but two', { json: ['/api/v1/targets'] });
});

test('An error that passes is tried again, one that stays is not', async () => {
  const service = await startService('ap-guangzhou', 'ap-shanghai');
  service.fault({ region: 'ap-guangzhou', error: 'InternalError', times: 2 });
  service.fault({ region: 'ap-shanghai', error: 'UnauthorizedOperation' });
  const daemon = await watchService(service, {
    poll: { schedule: '0 0 1 1 *' },
    regions: ['ap-guangzhou', 'ap-shanghai'],
  });

  const samples = await daemon.metrics();
  expect(samples.value('cvm_monitor_target_up', { region: 'ap-guangzhou' })).toBe(1);
  expect(samples.value('cvm_monitor_target_up', { region: 'ap-shanghai' })).toBe(0);
  expect(service.asked({ region: 'ap-guangzhou' })).toHaveLength(3);
  expect(service.asked({ region: 'ap-shanghai' })).toHaveLength(1);
});

test('A gateway that breaks, a lost connection and bytes that are no answer have codes of their own', async () => {
  const service = await startService();
  const faults = {
    HttpStatus: { status: 502 },
    NetworkError: { resets: true },
    Timeout: { hangs: true },
    InvalidResponse: { body: '{"Response":{"AccountQuotaOverview":7}}' },
  } as const;
  const named = Object.entries(faults).map(([code, fault], n) => ({
    code,
    fault,
    region: `ap-odd-${n}`,
  }));
  for (const { fault, region } of named) {
    service.region(region);
    service.fault({ region, ...fault });
  }
  const daemon = await watchService(service, {
    poll: { schedule: '0 0 1 1 *' },
    api: { max_attempts: 1, timeout: '1s' },
    regions: named.map(({ region }) => region),
  });

  const samples = await daemon.metrics();
  for (const { code, region } of named) {
    expect(samples.value('cvm_monitor_poll_failures_total', { region, code })).toBe(1);
  }
});
