import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to npm alone ends the daemon that npm start runs',
  async (signal) => {
    // Without the build before it, which would replace what other tests run.
    const args = ['start', '--ignore-scripts', '--', '--web.listen-address=127.0.0.1:0'];
    // In a group of its own, so that everything can be ended after a test that fails.
    const npm = spawn('npm', args, {
      cwd: join(import.meta.dirname, '../..'),
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
    let shown = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
    const urlOf = () => /Open (\S+)\/ for the status page/.exec(shown)?.[1];
    await expect.poll(urlOf).toBeDefined();
    const url = urlOf()!;
    expect((await fetch(`${url}/-/healthy`)).status).toBe(200);

    npm.kill(signal);
    await once(npm, 'exit');

    await expect(fetch(`${url}/-/healthy`)).rejects.toThrow();
    expect(() => process.kill(-npm.pid!, 0)).toThrow(/ESRCH/);
  },
);
