/** Requests go through a proxy when the configuration or the environment says so. A broken one is named. */
import { expect, test } from 'vitest';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { configOf, startDaemon, startWatched, watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const quiet = { poll: { schedule: '0 0 1 1 *' } };
const failures = 'cvm_monitor_poll_failures_total';

test('A proxy that refuses fails the polls with NetworkError, and its password is in no output', async () => {
  const service = await startService('ap-guangzhou');
  const proxy = await startConnectProxy();
  proxy.misbehave = (socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  const { host } = new URL(proxy.url);
  const daemon = await watchService(
    service,
    {
      ...quiet,
      api: { endpoint: 'https://cvm.service.test', proxy: 'environment', max_attempts: 1 },
    },
    { env: { HTTPS_PROXY: `http://watcher:secret-of-the-proxy@${host}` } },
  );

  const samples = await daemon.metrics();
  expect(samples.value(failures, { code: 'NetworkError' })).toBe(1);
  expect(proxy.requests[0]).toEqual({
    target: 'cvm.service.test:443',
    authorization: `Basic ${Buffer.from('watcher:secret-of-the-proxy').toString('base64')}`,
  });
  const targets = await daemon.text('/api/v1/targets');
  expect(targets).toMatch(/proxy/i);
  for (const text of [targets, await daemon.text('/'), daemon.everything()]) {
    expect(text).not.toContain('secret-of-the-proxy');
  }
});

test('A proxy that never answers fails with Timeout, and one that is not there with NetworkError', async () => {
  const service = await startService('ap-guangzhou');
  const silent = await startConnectProxy();
  silent.misbehave = () => undefined;
  const config = (proxy: string) =>
    configOf(service, {
      ...quiet,
      api: { endpoint: 'https://cvm.service.test', proxy, max_attempts: 1, timeout: '1s' },
    });
  const codeOf = async (proxy: string) => {
    const daemon = await startDaemon({ config: config(proxy) });
    return (await daemon.metrics()).matching(failures).map(({ labels }) => labels.code);
  };

  expect(await codeOf(silent.url)).toEqual(['Timeout']);
  expect(await codeOf('http://127.0.0.1:9')).toEqual(['NetworkError']);
});

test('With proxy: none in the configuration, variables of the environment do not matter', async () => {
  const { daemon } = await startWatched(
    { ...quiet, api: { proxy: 'none' } },
    { env: { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' } },
  );

  expect((await daemon.metrics()).value('cvm_monitor_target_up')).toBe(1);
});
