/** What a daemon does when the reader of its log has gone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFile } from '../support/directories.ts';
import { configOf, mainFile } from '../support/program.ts';
import { freeAddress } from '../support/prometheus/servers.ts';

test.each([
  ['a pipe that is closed', ''],
  ['a disk that is full', '2> /dev/full'],
])('a daemon watches on without its log, which goes to %s', async (_what, log) => {
  const config = JSON.stringify(configOf({ url: 'http://127.0.0.1:9' }, {}));
  const file = await temporaryFile('config.yaml', config);
  const address = await freeAddress();
  const flags = [
    `--config.file=${file}`,
    `--storage.path=${dirname(file)}/data`,
    `--web.listen-address=${address}`,
    '--log.level=debug',
  ];
  // Where the shell sends standard error; to a pipe if `log` is empty.
  const script = `exec "$0" "$@" ${log}`;
  const child = spawn('sh', ['-c', script, process.execPath, mainFile, 'serve', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const get = (path: string) => fetch(`http://${address}${path}`).catch(() => null);
  await expect.poll(() => get('/-/healthy')).toMatchObject({ status: 200 });
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
