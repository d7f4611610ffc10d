/** `check --output`: the same figures for a person, a script, Nagios and Prometheus. */
import { expect, test } from 'vitest';
import { Samples } from '../../support/exposition.ts';
import { configOf, run } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

async function low() {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  service.region('ap-shanghai');
  region.createTemplate('lt-b8v1kcyq', { versions: [1, 2], default: 2 });
  region.setUsed('postpaid', 'ap-guangzhou-3', 170);
  region.setUsed('spotpaid', 'ap-guangzhou-3', 235);
  const config = configOf(service, {
    regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] }, 'ap-shanghai'],
  });
  const check = (...flags: readonly string[]) => run('check', { config, flags });
  return { service, check };
}

test('The table of check has what is not fine, then the verdict in words', async () => {
  const { check } = await low();
  const { code, stdout, stderr } = await check();

  expect(code).toBe(2);
  expect(stderr).toBe('');
  expect(stdout).toMatch(
    /^CRITICAL {2}.*spotpaid in ap-guangzhou-3 of production: 5 of 240 vcpus left \(2 %\)\n$/m,
  );
  expect(stdout).toMatch(/quotas: 9 fine/);
  expect(stdout).toMatch(/^critical +spotpaid/m);
  expect(stdout).toMatch(/^low +postpaid/m);
  expect(stdout).not.toContain('lt-b8v1kcyq');

  const all = await check('--all');
  expect(all.code).toBe(2);
  expect(all.stdout).toMatch(/^lt-b8v1kcyq +ap-guangzhou +2 +2 +2 /m);
  expect(all.stdout).toMatch(/^fine +image/m);
});

test('check says the same figures in JSON, Prometheus and Nagios, with the same exit code', async () => {
  const { check } = await low();
  const json = await check('--output=json');
  const prometheus = await check('--output=prometheus');
  const nagios = await check('--output=nagios');

  expect([json.code, prometheus.code, nagios.code]).toEqual([2, 2, 2]);
  const { status, quotas } = JSON.parse(json.stdout) as {
    status: string;
    quotas: {
      region: string;
      zone: string | null;
      quota_type: string;
      remaining: number;
      template_id?: string;
    }[];
  };
  expect(status).toBe('critical');
  expect(quotas).toHaveLength(11);
  const samples = new Samples(prometheus.stdout);
  for (const { region, zone, quota_type, remaining, template_id: of = '' } of quotas) {
    expect(samples.value('cvm_quota_remaining', { region, quota_type })).toBe(remaining);
    const name = ['production', zone ?? region, quota_type, of].filter(Boolean).join('/');
    expect(nagios.stdout).toContain(`'${name}'=${remaining};`);
  }
  expect(nagios.stdout).toMatch(/^CVM QUOTA CRITICAL: .*spotpaid in ap-guangzhou-3.* \| /);
});

test('check polls a part of the configuration alone, and a name that selects nothing is an error', async () => {
  const { service, check } = await low();
  const { code, stdout } = await check('--region=ap-shanghai');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^FINE {2}5 quotas/m);
  expect(service.asked({ region: 'ap-guangzhou' })).toEqual([]);

  const none = await check('--region=ap-shangai');
  expect(none.code).toBe(3);
  expect(none.stderr).toContain('ap-shanghai');
});

test('Thresholds in the flags of check replace those of the file', async () => {
  const { check } = await low();

  expect((await check('--warn-below=1', '--critical-below=1')).code).toBe(0);
  expect((await check('--warn-below=50', '--critical-below=1')).code).toBe(1);
  expect((await check('--region=ap-shanghai', '--critical-below=99%')).code).toBeGreaterThan(1);
});

test('A check ends at its timeout, and what has no answer is unknown', async () => {
  const { service, check } = await low();
  service.fault({ region: 'ap-shanghai', hangs: true });

  const { code, stdout } = await check('--region=ap-shanghai', '--timeout=2s', '--output=nagios');
  expect(code).toBe(3);
  expect(stdout).toMatch(/^CVM QUOTA UNKNOWN/);
});
