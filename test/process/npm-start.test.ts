import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** `npm start`, without the build before it, which would replace what other tests run. */
async function npmStart() {
  const args = ['start', '--ignore-scripts', '--', '--web.listen-address=127.0.0.1:0'];
  // In a group of its own, so that everything can be ended after a test that fails.
  const npm = spawn('npm', args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => {
    try {
      process.kill(-npm.pid!, 'SIGKILL');
    } catch {
      // All of it has ended.
    }
  });
  for await (const line of createInterface(npm.stdout)) {
    const [, url] = /Open (\S+)\/ for the status page/.exec(line) ?? [];
    if (url !== undefined) return { npm, url };
  }
  throw new Error('npm start ended before it served');
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to npm alone ends the daemon that npm start runs',
  async (signal) => {
    const { npm, url } = await npmStart();
    expect((await fetch(`${url}/-/healthy`)).status).toBe(200);

    npm.kill(signal);
    await once(npm, 'exit');

    await expect(fetch(`${url}/-/healthy`)).rejects.toThrow();
    expect(() => process.kill(-npm.pid!, 0)).toThrow(/ESRCH/);
  },
);
