import { expect, test } from 'vitest';
import { configOf, spawnDaemon } from '../../support/program.ts';
import { ask, toolkitFile } from '../../support/toolkit-client.ts';

test('With a web configuration, every address serves HTTPS, to its users alone', async () => {
  const daemon = await spawnDaemon({
    config: configOf({ url: 'http://127.0.0.1:9' }, {}),
    flags: [
      '--web.listen-address=127.0.0.1:0',
      `--web.config.file=${toolkitFile('web_config_users.good.yml')}`,
    ],
  });
  const first = await daemon.logged('serving');
  const second = await daemon.logged('serving', (line) => line !== first);
  await daemon.loaded();

  for (const url of [String(first.url), String(second.url)]) {
    expect(url).toMatch(/^https:/);
    expect((await ask(url, { path: '/-/healthy' })).status).toBe(401);
    const { status, body } = await ask(url, { path: '/metrics', login: 'carol:carol123' });
    expect(status).toBe(200);
    expect(body).toMatch(/^cvm_monitor_web_config_last_reload_successful 1$/m);
    expect((await ask(url, { path: '/metrics', login: 'carol:dave123' })).status).toBe(401);
  }
});
