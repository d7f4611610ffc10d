/** What a daemon does when the reader of its log has gone. It needs the built program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directories.ts';

const mainFile = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** @param log where the shell sends standard error; empty for a pipe */
async function start(log: string) {
  const directory = await temporaryDirectory();
  const file = join(directory, 'config.yaml');
  const config = {
    api: { endpoint: 'http://127.0.0.1:9' },
    accounts: [{ name: 'a', credentials: { type: 'none' }, regions: ['ap-x'] }],
  };
  await writeFile(file, JSON.stringify(config));
  const port = await freePort();
  const flags = [
    `--config.file=${file}`,
    `--storage.path=${directory}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=debug',
  ];
  const script = `exec "$0" "$@" ${log}`;
  const child = spawn('sh', ['-c', script, process.execPath, mainFile, 'serve', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
  await expect.poll(() => get('/-/healthy')).toMatchObject({ status: 200 });
  return { child, file, get };
}

it.each([
  ['a pipe that is closed', ''],
  ['a disk that is full', '2> /dev/full'],
])('a daemon watches on without its log, which goes to %s', async (_what, log) => {
  const { child, file, get } = await start(log);
  child.stdout.destroy();
  child.stderr.destroy();

  // Each reload writes a line.
  for (let count = 0; count < 3; count += 1) {
    await writeFile(file, '{');
    child.kill('SIGHUP');
    await expect
      .poll(async () => (await get('/metrics'))?.text())
      .toMatch(/^cvm_monitor_config_last_reload_successful 0$/m);
  }

  expect((await get('/-/healthy'))?.status).toBe(200);
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});
