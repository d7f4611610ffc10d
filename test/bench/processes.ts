/** The processes and directories of a measurement: whatever it starts is ended with it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { imageFlags } from './image-flags.ts';
import type { Figures } from './sides/probe.ts';
import type { Differs, Seen } from './sides/service.ts';

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** Of the repository. */
export const root = fileOf('../../');

/** What a daemon watches: quotas of regions, each account with keys of its own. */
export interface Watched {
  readonly accounts: number;
  readonly regions: number;
  readonly service: Service;
  /** By default once a year: the first cycle is the only one. */
  readonly schedule?: string;
  /** The records of an earlier daemon; by default a new directory. */
  readonly storage?: string;
  readonly redisUrl?: string;
  /** Of each account. By default none. */
  readonly labels?: Readonly<Record<string, string>>;
}

export class Processes {
  readonly #program: string;
  readonly #children = new Set<ChildProcess>();
  readonly #directories: string[] = [];
  #compileCache = '';

  /** @param program the built program that is measured */
  constructor(program: string) {
    this.#program = program;
  }

  async directory(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'cvm-quota-monitor-bench-'));
    this.#directories.push(path);
    return path;
  }

  /**
   * Starts a file of `sides/`, which prints one line of JSON when it is ready. It has the flags of the image, like the
   * daemon: a comparison is one of code, not of garbage collectors.
   */
  async side(name: string, argument: object = {}): Promise<Side> {
    const file = fileOf(`sides/${name}.js`);
    return this.#node([...imageFlags(root), file, JSON.stringify(argument)], (line) => line);
  }

  async service(zones: number, latencyMs = 0): Promise<Service> {
    return new Service(await this.side('service', { zones, latencyMs }), zones);
  }

  /** Starts a daemon with the flags of the image, and waits until it listens. */
  async daemon(watched: Watched): Promise<Daemon> {
    const directory = await this.directory();
    const configFile = join(directory, 'config.yaml');
    await writeFile(configFile, JSON.stringify(configOf(watched)));
    const args = [
      ...imageFlags(root),
      `--import=${new URL('sides/probe.js', import.meta.url).href}`,
      ...[this.#program, 'serve', `--config.file=${configFile}`],
      `--storage.path=${watched.storage ?? join(directory, 'data')}`,
      ...['--log.format=json', '--web.listen-address=127.0.0.1:0'],
    ];
    const env = Object.fromEntries(
      Array.from({ length: watched.accounts }, (_, i) => [`KEY_${i}`, `AKIDEXAMPLE${i}`]),
    );
    const isServing = (line: string) => (line.includes('"msg":"serving"') ? line : null);
    return new Daemon(await this.#node(args, isServing, env), watched);
  }

  /** Starts any program, which is ready when it answers `isReady`. */
  async program(command: string, args: readonly string[], isReady: () => Promise<unknown>) {
    const child = this.#spawn(command, args, {});
    for (let left = 200; ; left -= 1) {
      await delay(50);
      if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`);
      try {
        return await isReady();
      } catch (error) {
        if (left === 0) throw error;
      }
    }
  }

  async end(): Promise<void> {
    await Promise.all(
      [...this.#children].map((child) => {
        child.kill('SIGKILL');
        return once(child, 'exit');
      }),
    );
    for (const path of this.#directories) await rm(path, { recursive: true, force: true });
  }

  async #node(
    args: readonly string[],
    readyWith: (line: string) => string | null,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Side> {
    // A process fills the compile cache when it exits, not when it is killed. Node.js 20 has none.
    this.#compileCache ||= await this.directory();
    const withCache = { ...env, NODE_COMPILE_CACHE: this.#compileCache };
    const child = this.#spawn(process.execPath, args, withCache);
    const output: string[] = [];
    const ready = await new Promise<string>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        if (stream === null) continue;
        createInterface(stream).on('line', (line) => {
          if (output.push(line) > 20) return;
          const answer = line.startsWith('{') ? readyWith(line) : null;
          if (answer !== null) resolve(answer);
        });
      }
      child.once('exit', (code) => {
        reject(new Error(`${args.join(' ')} ended with ${code}:\n${output.join('\n')}`));
      });
    });
    return new Side(child, (JSON.parse(ready) as { url: string }).url);
  }

  #spawn(command: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    const child = spawn(command, args, {
      cwd: root,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }
}

/** A process that is measured, or stands beside one. */
export class Side {
  readonly #child: ChildProcess;
  readonly url: string;

  constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** Sends a message, and gives the answer to it. */
  async ask<Answer>(message: unknown): Promise<Answer> {
    const answered = once(this.#child, 'message');
    this.#child.send(message as object);
    const [answer] = (await answered) as [Answer];
    return answer;
  }

  /** Lets the process end in its own way. */
  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await gone;
  }
}

export class Service {
  readonly #side: Side;
  readonly zones: number;

  constructor(side: Side, zones: number) {
    this.#side = side;
    this.zones = zones;
  }

  get url(): string {
    return this.#side.url;
  }

  seen(): Promise<Seen> {
    return this.#side.ask({});
  }

  /** From now on, each answer differs from the one before in this. */
  differIn(differs: Differs): Promise<Seen> {
    return this.#side.ask(differs);
  }

  /** Resolves when it has given so many answers since its start. */
  async answered(count: number): Promise<Seen> {
    for (;;) {
      const seen = await this.seen();
      if (seen.answers >= count) return seen;
      await delay(20);
    }
  }
}

export class Daemon {
  readonly #side: Side;
  readonly targets: number;
  readonly metricsUrl: string;

  constructor(side: Side, { accounts, regions }: Watched) {
    this.#side = side;
    this.targets = accounts * regions;
    this.metricsUrl = `${side.url}/metrics`;
  }

  /** @param message `watch` begins to watch the event loop */
  figures(message: 'watch' | 'cpu' = 'cpu'): Promise<Figures> {
    return this.#side.ask(message);
  }

  stop(): Promise<void> {
    return this.#side.stop();
  }

  async scrape(): Promise<string> {
    return String(gunzipSync(await this.compressed()));
  }

  /** Waits until the records are read, then scrapes as Prometheus does: compressed. */
  async compressed(): Promise<Buffer> {
    for (;;) {
      // A daemon that starts on a busy machine may end a connection. None is used twice.
      const headers = { 'Accept-Encoding': 'gzip' };
      const request = get(this.metricsUrl, { agent: false, headers });
      const response = await once(request, 'response').then(
        ([answer]) => answer as IncomingMessage,
        (error: unknown) => {
          if (!(error instanceof Error && 'code' in error && error.code === 'ECONNRESET'))
            throw error;
        },
      );
      if (response?.statusCode === 200) return buffer(response);
      response?.resume();
      await delay(2);
    }
  }

  /** Resolves with a scrape that shows the quotas of every target. */
  async full(): Promise<string> {
    for (;;) {
      const text = await this.scrape();
      if (text.match(/^cvm_account_info\{/gm)?.length === this.targets) return text;
      await delay(100);
    }
  }
}

function configOf({ schedule = '0 0 1 1 *', ...watched }: Watched) {
  const { accounts, labels = {}, redisUrl, regions, service } = watched;
  const cluster = { name: 'bench', redis: { url: redisUrl } };
  return {
    poll: { schedule, stale_after: '24h' },
    api: { endpoint: service.url, requests_per_second: 20 },
    ...(redisUrl !== undefined && { cluster }),
    accounts: Array.from({ length: accounts }, (_, i) => ({
      name: `account-${i}`,
      labels,
      credentials: { type: 'environment', secret_id_env: `KEY_${i}`, secret_key_env: `KEY_${i}` },
      regions: Array.from({ length: regions }, (_unused, region) => regionName(region)),
    })),
  };
}

/** Letters only: `ap-aaa`, `ap-baa`, … */
function regionName(number: number): string {
  const letter = (value: number) => String.fromCharCode(97 + (Math.floor(value) % 26));
  return `ap-${letter(number)}${letter(number / 26)}${letter(number / 676)}`;
}
