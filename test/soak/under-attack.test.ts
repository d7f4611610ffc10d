/**
 * A daemon with TLS and a user while others attack it: a client that knows the password is answered in less
 * than a second, and the memory stays within one and a half times of what it was.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { imageFlags } from '../bench/image-flags.ts';
import { tlsConfigFile } from '../support/certificate-authority.ts';
import { emulate } from '../support/emulator.ts';
import { configOf, spawnDaemon, startProgram, type Daemon } from '../support/program.ts';
import { hasProgram } from '../support/programs.ts';
import { ask } from '../support/toolkit-client.ts';

/**
 * How long a thread was ready to run while the machine ran others, in milliseconds (`sched(7)` of Linux).
 *
 * @param task its directory in /proc: the number of a process for its main thread
 */
function runDelayMs(task: number | 'thread-self'): number {
  const [, waitedNs] = readFileSync(`/proc/${task}/schedstat`, 'utf8').split(' ');
  return Number(waitedNs) / 1e6;
}

async function memoryKb({ pid }: Daemon): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
}

it
  .runIf(hasProgram('openssl', 'openssl'))
  .each(['connections', 'handshakes', 'renegotiation', 'passwords'])(
  'under attack by %s, scrapes and memory stay in their bounds',
  async (kind) => {
    const { file } = await tlsConfigFile({ prometheus: 'right' });
    const emulator = await emulate();
    const daemon = await spawnDaemon({
      config: configOf(emulator, {}),
      flags: [`--web.config.file=${file}`],
      nodeFlags: imageFlags(),
    });
    const url = await daemon.url();
    /** Scrapes once on a new connection. */
    const scrape = async () => {
      const { status, body } = await ask(url, { path: '/metrics', login: 'prometheus:right' });
      expect(status).toBe(200);
      expect(body).toContain('cvm_monitor_build_info');
    };
    // Until the stored records are read, scrapes are answered 503.
    const isServed = () =>
      scrape().then(
        () => true,
        () => false,
      );
    await expect.poll(isServed).toBe(true);
    // Many good clients, until the memory no longer grows by scrapes alone.
    for (let scrapes = 0; scrapes < 1_000; scrapes += 20) {
      await Promise.all(Array.from({ length: 20 }, scrape));
    }
    const beforeKb = await memoryKb(daemon);
    const attackFile = new URL('../support/fixtures/process/attack.js', import.meta.url);
    const attack = startProgram(process.execPath, [
      fileURLToPath(attackFile),
      kind,
      new URL(url).port,
    ]);
    await attack.shows(/begun/);
    const isEndless = kind !== 'connections';
    const isOver = isEndless ? delay(10_000) : attack.shows(/done/);

    const durationsMs: number[] = [];
    const memoriesKb: number[] = [];
    const end = isOver.then(() => true);
    while (!(await Promise.race([end, delay(100)]))) {
      // The time in which the machine runs others than daemon and client does not count.
      const nowMs = () => performance.now() - runDelayMs(daemon.pid) - runDelayMs('thread-self');
      const startMs = nowMs();
      await scrape();
      durationsMs.push(nowMs() - startMs);
      memoriesKb.push(await memoryKb(daemon));
    }
    attack.signal('SIGKILL');

    expect(Math.max(...durationsMs)).toBeLessThan(1_000);
    expect(Math.max(...memoriesKb) / beforeKb).toBeLessThan(1.5);
  },
);
