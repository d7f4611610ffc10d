/** Prometheus and Alertmanager processes. They end with the test that started them. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from '../directories.ts';

/** Starts Prometheus on a free port, by default without samples. Returns its `host:port`. */
export async function startPrometheus(configFile: string, storage?: string): Promise<string> {
  return startServer('prometheus', [
    `--config.file=${configFile}`,
    `--storage.tsdb.path=${storage ?? (await temporaryDirectory())}`,
    '--web.listen-address=127.0.0.1:0',
  ]);
}

/** Starts Alertmanager on a free port, without a cluster. Returns its `host:port`. */
export async function startAlertmanager(configFile: string): Promise<string> {
  return startServer('prometheus-alertmanager', [
    `--config.file=${configFile}`,
    `--storage.path=${await temporaryDirectory()}`,
    '--web.listen-address=127.0.0.1:0',
    '--cluster.listen-address=',
  ]);
}

async function startServer(program: string, flags: readonly string[]): Promise<string> {
  const server = spawn(program, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => server.once('close', resolve));
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await ended;
  });
  const log: string[] = [];
  for await (const line of createInterface({ input: server.stderr })) {
    log.push(line);
    const address = /msg="Listening on" address=(\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      server.stderr.resume();
      await untilReady(address);
      return address;
    }
  }
  throw new Error(`${program} ended before it listened:\n${log.join('\n')}`);
}

/** It listens before it answers queries. */
async function untilReady(address: string): Promise<void> {
  while (!(await fetch(`http://${address}/-/ready`)).ok) await delay(50);
}
