/** One region whose host never answers: the others are polled on time, and their figures are fresh. */
import { expect, test } from 'vitest';
import { configOf, run, startDaemon } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

/** Flags that let every name under `.test` be this machine. */
const nodeFlags = [
  `--import=data:text/javascript,${encodeURIComponent(`
    import dns from 'node:dns';
    const { lookup } = dns;
    dns.lookup = (host, ...rest) => lookup(host.endsWith('.test') ? '127.0.0.1' : host, ...rest);
  `)}`,
];

test('Targets beside a region that never answers are polled in every cycle', async () => {
  const service = await startService('ap-dead', 'ap-guangzhou', 'ap-shanghai');
  service.fault({ region: 'ap-dead', hangs: true });
  const config = configOf(service, {
    api: { endpoint: `http://{region}.test:${service.port}`, timeout: '2s', max_attempts: 1 },
    regions: ['ap-dead', 'ap-guangzhou', 'ap-shanghai'],
  });
  const daemon = await startDaemon({ config, nodeFlags });

  const samples = await daemon.cycle({ region: 'ap-shanghai' });
  for (const region of ['ap-guangzhou', 'ap-shanghai']) {
    expect(samples.value('cvm_monitor_target_up', { region })).toBe(1);
    expect(samples.matching('cvm_quota_used', { region })).toHaveLength(5);
    expect(samples.sum('cvm_monitor_poll_failures_total', { region })).toBe(0);
  }
  expect(samples.value('cvm_monitor_target_up', { region: 'ap-dead' })).toBe(0);
  expect(samples.matching('cvm_quota_used', { region: 'ap-dead' })).toEqual([]);
  const asked = (region: string) => service.asked({ region }).length;
  const before = { dead: asked('ap-dead'), alive: asked('ap-guangzhou') };
  await daemon.metricsWhen(() => asked('ap-dead') === before.dead + 1);
  expect(asked('ap-guangzhou')).toBeGreaterThan(before.alive);

  const { code, stdout } = await run('check', { config, nodeFlags });
  expect(code).toBe(3);
  expect(stdout).toContain('ap-dead');
  expect(stdout).toContain('Timeout');
  expect(stdout).toMatch(/quotas: 10 fine/);
});
