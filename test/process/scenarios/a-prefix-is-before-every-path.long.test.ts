/** Behind a reverse proxy: --web.external-url and --web.route-prefix, as in Prometheus. */
import { expect, test } from 'vitest';
import { configOf, spawnDaemon } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

async function watched(...flags: readonly string[]) {
  const service = await startService('ap-guangzhou');
  const daemon = await spawnDaemon({ config: configOf(service, {}), flags });
  await daemon.loaded();
  const { origin } = new URL(await daemon.url());
  return async (path: string) => (await fetch(origin + path, { redirect: 'manual' })).status;
}

test('The path of the external URL is before every path, and / leads to it', async () => {
  const ask = await watched('--web.external-url=https://ops.example.com/quota/');

  expect(await ask('/quota/-/healthy')).toBe(200);
  expect(await ask('/quota/metrics')).toBeLessThan(504);
  expect(await ask('/quota/')).toBe(200);
  expect(await ask('/metrics')).toBe(404);
  expect(await ask('/-/healthy')).toBe(404);
  expect(Math.floor((await ask('/')) / 100)).toBe(3);
});

test('A route prefix of its own is before the path of the external URL', async () => {
  const ask = await watched(
    '--web.external-url=https://ops.example.com/quota/',
    '--web.route-prefix=/',
  );

  expect(await ask('/-/healthy')).toBe(200);
  expect(await ask('/quota/-/healthy')).toBe(404);
});

test('A route prefix alone is before every path', async () => {
  const ask = await watched('--web.route-prefix=/inside');

  expect(await ask('/inside/-/healthy')).toBe(200);
  expect(await ask('/-/healthy')).toBe(404);
});
