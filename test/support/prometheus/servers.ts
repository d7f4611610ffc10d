/** Servers of monitoring: Prometheus, Alertmanager, VictoriaMetrics, vmalert, and HTTP servers of a test beside them. They end with their test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { json, text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
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
    const address = /msg="Listening on".* address=(\S+)/.exec(line)?.[1];
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

/** Listens on a free loopback port until the test has finished. Returns `host:port`. */
export async function listenLocally(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers scrapes until the test has finished. Returns `host:port`. */
export function serveMetrics(exposition: () => string): Promise<string> {
  return listenLocally((_, response) => {
    // Prometheus 3 refuses an answer without it.
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.end(exposition());
  });
}

/** One alert of a notification. */
export interface Notification {
  /** The path of the notification: the name of the receiver. */
  readonly receiver: string;
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface WebhookReceiver {
  /** `host:port`. */
  readonly address: string;
  /** The notifications of an alert, oldest first. */
  readonly of: (alertname: string) => readonly Notification[];
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const notifications: Notification[] = [];
  const address = await listenLocally((request, response) => {
    void text(request).then((body) => {
      const { alerts } = JSON.parse(body) as { alerts: Omit<Notification, 'receiver'>[] };
      const receiver = (request.url ?? '').slice(1);
      notifications.push(...alerts.map((alert) => ({ ...alert, receiver })));
      response.end();
    });
  });
  return {
    address,
    of: (alertname) => notifications.filter(({ labels }) => labels.alertname === alertname),
  };
}

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

/** A `host:port` that no program listens on, for one that does not say which it takes if it may choose. */
export async function freeAddress(): Promise<string> {
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
