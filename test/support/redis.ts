/** Real Redis servers. They keep every write durable, in a directory of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { hasProgram } from './programs.ts';

/** Whether tests with Redis can run here. */
export const hasRedis = hasProgram('redis-server', 'redis-server');

/** Starts Redis. It ends with the test. */
export async function startRedis(
  ...settings: Parameters<typeof RedisServer.start>
): Promise<RedisServer> {
  const server = await RedisServer.start(...settings);
  onTestFinished(() => server.remove());
  return server;
}

/** One Redis for all tests of a file. A test has keys of its own: {@link RedisServer.newCluster}. */
export function redisOfFile(): () => RedisServer {
  let server: RedisServer | null = null;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server?.remove());
  return () => {
    if (server === null) throw new Error('Redis is available in tests only');
    return server;
  };
}

/** Below the ports that the system gives to connections: no other program takes one while Redis restarts. */
const ports = { from: 10_000, count: 20_000 };

/** Where it keeps its data, in its directory. */
const stored = 'appendonlydir';

/** Settings of `redis.conf` that replace the usual ones of a port. */
type Settings = (port: number) => Readonly<Record<string, string | number>>;

export class RedisServer {
  readonly port: number;
  readonly #settings: Settings;
  readonly #directory: string;
  #process: ChildProcess | null = null;
  #clusters = 0;
  readonly #connections = new Set<Redis>();

  private constructor(port: number, directory: string, settings: Settings) {
    this.port = port;
    this.#settings = settings;
    this.#directory = directory;
  }

  static async start(settings: Settings = () => ({})): Promise<RedisServer> {
    const directory = await mkdtemp(join(tmpdir(), 'cvm-quota-monitor-redis-'));
    for (;;) {
      const port = ports.from + Math.floor(Math.random() * ports.count);
      const server = new RedisServer(port, directory, settings);
      const problem = await server.#run();
      if (problem === null) return server;
      if (!problem.includes('Address already in use')) throw new Error(problem);
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** A name that no other test uses. */
  newCluster(): string {
    this.#clusters += 1;
    return `cluster-${this.#clusters}`;
  }

  /** A connection. The caller must disconnect it. */
  connection(): Redis {
    return new Redis({ port: this.port, host: '127.0.0.1' });
  }

  /** A connection that ends with the server. */
  connect(): Redis {
    const redis = this.connection();
    // It connects again when Redis is back.
    redis.on('error', () => undefined);
    this.#connections.add(redis);
    return redis;
  }

  /** Resolves when it watches. The inner promise resolves when a client has sent a command with this text. */
  async sees(text: string): Promise<{ readonly arrived: Promise<void> }> {
    // The client fails where the first commands come together with the answer.
    const monitor = connect(this.port, '127.0.0.1').setEncoding('utf8');
    monitor.write('MONITOR\r\n');
    await once(monitor, 'data');
    const arrived = new Promise<void>((resolve) => {
      let seen = '';
      monitor.on('data', (part: string) => {
        seen += part;
        if (seen.includes(text)) resolve();
      });
    });
    return { arrived };
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Starts it again after {@link kill}, with everything that it has stored. */
  async restart(): Promise<void> {
    const problem = await this.#run();
    if (problem !== null) throw new Error(problem);
  }

  /** A copy of everything that it has stored, for {@link restartWith}. */
  async copy(): Promise<string> {
    const path = join(this.#directory, 'copy');
    await cp(join(this.#directory, stored), path, { recursive: true });
    return path;
  }

  /** Starts it again after {@link kill}, with a copy, or without anything. */
  async restartWith(copy: string | null): Promise<void> {
    const path = join(this.#directory, stored);
    await rm(path, { recursive: true });
    if (copy !== null) await rename(copy, path);
    await this.restart();
  }

  async remove(): Promise<void> {
    for (const redis of this.#connections) redis.disconnect();
    await this.#end('SIGKILL');
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === null) return;
    this.#process = null;
    const ended = once(child, 'close');
    child.kill(signal);
    await ended;
  }

  /** @returns `null` when it accepts connections; its output when it has ended instead */
  async #run(): Promise<string | null> {
    const settings = {
      port: this.port,
      bind: '127.0.0.1',
      dir: this.#directory,
      appendonly: 'yes',
      appendfsync: 'always',
      save: '',
      ...this.#settings(this.port),
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'ignore'] });
    const output: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      output.push(line);
      if (!line.includes('Ready to accept connections')) continue;
      child.stdout.resume();
      this.#process = child;
      return null;
    }
    return output.join('\n');
  }
}
