/** VictoriaMetrics and vmalert. They end with the test that started them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../directories.ts';
import { listenLocally } from './local-server.ts';
import type { Notification } from './webhook-receiver.ts';

type Alert = Omit<Notification, 'receiver' | 'status'>;

/** Starts VictoriaMetrics with samples in the text format, with times. Returns its URL. */
export async function startVictoriaMetrics(samples: string): Promise<string> {
  const address = await freeAddress();
  run('victoria-metrics', [
    `-storageDataPath=${await temporaryDirectory()}`,
    `-httpListenAddr=${address}`,
    '-search.latencyOffset=0s',
  ]);
  const post = () =>
    fetch(`http://${address}/api/v1/import/prometheus`, { method: 'POST', body: samples });
  await expect.poll(async () => (await post()).status, { timeout: 20_000 }).toBe(204);
  return `http://${address}`;
}

/** Starts vmalert with files of rules. Returns the alerts that it sends, which grow, oldest first. */
export async function startVmalert(rules: string, storageUrl: string): Promise<readonly Alert[]> {
  const alerts: Alert[] = [];
  const notifier = await listenLocally((request, response) => {
    void json(request).then((sent) => {
      alerts.push(...(sent as Alert[]));
      response.end();
    });
  });
  run('vmalert', [
    `-rule=${rules}`,
    `-datasource.url=${storageUrl}`,
    `-remoteWrite.url=${storageUrl}`,
    `-notifier.url=http://${notifier}`,
    '-httpListenAddr=127.0.0.1:0',
    '-evaluationInterval=1s',
  ]);
  return alerts;
}

/** VictoriaMetrics does not say which port it takes if it may choose. */
async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return `127.0.0.1:${port}`;
}

function run(program: string, flags: readonly string[]): void {
  const server = spawn(program, flags, { stdio: 'ignore' });
  const ended = once(server, 'close');
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await ended;
  });
}
