import { request } from 'node:http';
import { hashSync } from 'bcryptjs';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFile } from '../../support/directories.ts';
import { configOf, spawnDaemon } from '../../support/program.ts';

test('A right password is answered before three of the hundreds that 64 addresses guess at the same time', async () => {
  const hash = hashSync('right', 10);
  const users = { basic_auth_users: { prometheus: hash, grafana: hash } };
  const daemon = await spawnDaemon({
    config: configOf({ url: 'http://127.0.0.1:9' }, {}),
    flags: [`--web.config.file=${await temporaryFile('web.yaml', JSON.stringify(users))}`],
  });
  await daemon.loaded();
  const { port } = new URL(await daemon.url());
  /** Sends a login on a new connection. */
  const statusOf = (auth: string, localAddress: string) =>
    new Promise<number>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path: '/metrics', auth, localAddress };
      request({ ...options, agent: false }, (answer) => {
        resolve(answer.resume().statusCode!);
      })
        .on('error', reject)
        .end();
    });
  let sent = 0;
  let compared = 0;
  const guess = async () => {
    sent += 1;
    const status = await statusOf(`prometheus:guess ${sent}`, `127.0.0.${2 + (sent % 64)}`);
    if (status === 401) compared += 1;
  };
  const guessing = setInterval(() => void guess().catch(() => undefined), 10);
  onTestFinished(() => {
    clearInterval(guessing);
  });

  for (const user of ['prometheus', 'grafana']) {
    // Each address has guessed more than once, and others wait.
    await expect.poll(() => compared, { timeout: 60_000 }).toBeGreaterThan(10);
    await expect.poll(() => sent, { timeout: 60_000 }).toBeGreaterThan(200);
    const before = compared;
    expect(await statusOf(`${user}:right`, '127.0.0.1')).toBe(200);
    expect(compared - before).toBeLessThan(3);
    [sent, compared] = [0, 0];
  }
});
