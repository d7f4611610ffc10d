/** The daemon as users run it: a separate process of `dist/`, with files and a port. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { z } from 'zod';
import type { configSchema } from '../../src/config/schema.ts';
import { temporaryDirectory } from './directories.ts';
import { Samples } from './samples.ts';

const mainFile = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A configuration in the form of the file. */
type Input = z.input<ReturnType<typeof configSchema>>;
interface RegionInput {
  name: string;
  zones?: string[];
  launch_templates?: string[] | 'all' | { names?: string[]; tags?: Record<string, string> };
  max_launch_templates?: number;
  instance_types?: { type: string; zones: string[]; charge_types: string[] }[];
}
interface EveryRegionInput extends Omit<RegionInput, 'name' | 'zones'> {
  except?: string[];
}
interface AccountInput extends Omit<Input['accounts'][number], 'regions'> {
  quota_types?: string[];
  launches?: boolean;
  regions: (string | RegionInput)[] | 'all' | EveryRegionInput;
}
export type ConfigInput = Omit<Input, 'accounts'> & { accounts: AccountInput[] };

export interface DaemonOptions {
  /** The text of the configuration file, or the same as an object. */
  readonly config: ConfigInput | string;
  /** The directory of `config.yaml` and `data/`. Defaults to a new one. Pass it again to restart a daemon. */
  readonly directory?: string;
  /** The directory of the records. Defaults to `data/` in the directory. */
  readonly storagePath?: string;
  /** Whether `POST /-/reload` is enabled. Defaults to true. */
  readonly enablesLifecycle?: boolean;
  /** Additional flags of `serve`. */
  readonly flags?: readonly string[];
  /** Flags of Node.js, such as `--import=FILE`. */
  readonly nodeFlags?: readonly string[];
  /** Environment variables. Besides them, the process gets only PATH. */
  readonly env?: Readonly<Record<string, string>>;
}

/** One line of the log of the daemon. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string };

/** How a process ended: by a code or by a signal. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Starts a daemon and waits until it serves. It is killed when the test has finished.
 *
 * @throws when the process ends before it serves; the message contains its output
 */
export async function startDaemon(options: DaemonOptions): Promise<DaemonProcess> {
  const daemon = await spawnDaemon(options);
  onTestFinished(async () => {
    daemon.signal('SIGKILL');
    await daemon.exited;
  });
  await daemon.serving();
  // Before its records are read, it answers nothing.
  await daemon.logged('polling');
  return daemon;
}

/** Starts a daemon. The caller must wait for it and stop it. */
export async function spawnDaemon(options: DaemonOptions): Promise<DaemonProcess> {
  if (!existsSync(mainFile)) throw new Error(`${mainFile} is not there; run npm run build`);
  const directory = options.directory ?? (await temporaryDirectory());
  const configFile = join(directory, 'config.yaml');
  await mkdir(directory, { recursive: true });
  await writeConfig(configFile, options.config);
  const { nodeFlags = [], flags = [], env, storagePath = join(directory, 'data') } = options;
  const child = spawn(
    process.execPath,
    [
      ...nodeFlags,
      mainFile,
      'serve',
      `--config.file=${configFile}`,
      `--storage.path=${storagePath}`,
      '--web.listen-address=127.0.0.1:0',
      '--log.format=json',
      ...(options.enablesLifecycle === false ? [] : ['--web.enable-lifecycle']),
      ...flags,
    ],
    { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  return new DaemonProcess(child, { directory, configFile, storagePath });
}

async function writeConfig(file: string, config: ConfigInput | string): Promise<void> {
  // In one step, as editors and mounted volumes do: a reload must not read a partial file.
  await writeFile(`${file}.new`, typeof config === 'string' ? config : JSON.stringify(config));
  await rename(`${file}.new`, file);
}

interface Places {
  readonly directory: string;
  readonly configFile: string;
  readonly storagePath: string;
}

/** A daemon process. It may have ended. */
export class DaemonProcess implements Places {
  readonly directory: string;
  readonly configFile: string;
  readonly storagePath: string;
  readonly pid: number;
  /** Resolves when the process has ended and its whole output was read. */
  readonly exited: Promise<Exit>;
  /** Every line of the log so far. */
  readonly log: LogLine[] = [];
  /** Its output besides the log, such as the reason why it could not start. */
  output = '';
  readonly #child: ChildProcess;
  #onLine: (() => void)[] = [];
  #hasExited = false;

  constructor(child: ChildProcess, places: Places) {
    this.directory = places.directory;
    this.configFile = places.configFile;
    this.storagePath = places.storagePath;
    this.pid = child.pid ?? 0;
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) createInterface(stream).on('line', this.#read);
    }
    this.exited = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.#hasExited = true;
        this.#wake();
        resolve({ code, signal });
      });
    });
  }

  /** Whether the process has ended. */
  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** Sends a signal. Does nothing when the process has ended. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Stops the daemon, and returns how it ended. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    this.signal(signal);
    return this.exited;
  }

  /** Resolves with the address of the daemon when it listens. */
  async serving(): Promise<string> {
    return (await this.logged('serving')).url as string;
  }

  /**
   * Resolves with the first line with this message for which the predicate is true. The line can already
   * exist.
   *
   * @throws when the process ends without such a line
   */
  async logged(message: string, isIt: (line: LogLine) => boolean = () => true): Promise<LogLine> {
    for (let next = 0; ;) {
      const line = this.log.slice(next).find((each) => each.msg === message && isIt(each));
      if (line !== undefined) return line;
      if (this.#hasExited) throw new Error(`ended without "${message}":\n${this.everything()}`);
      next = this.log.length;
      await new Promise<void>((resolve) => this.#onLine.push(resolve));
    }
  }

  /** Sends a request to the daemon. Rejects when it does not answer. */
  async get(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch((await this.serving()) + path, init);
  }

  async metrics(): Promise<Samples> {
    const response = await this.get('/metrics');
    // Until the stored records are read, there are none.
    return new Samples(response.ok ? await response.text() : '');
  }

  /** Resolves when every target was attempted. */
  async ready(): Promise<void> {
    while (!(await this.get('/-/ready')).ok) await delay(20);
  }

  /** Resolves with the first exposition for which `isIt` is true. */
  async metricsWhen(isIt: (samples: Samples) => boolean): Promise<Samples> {
    for (;;) {
      const samples = await this.metrics();
      if (isIt(samples)) return samples;
      // The daemon's own metrics are computed once a second.
      await delay(50);
    }
  }

  /** Replaces the configuration file. It does not reload. */
  async configure(config: ConfigInput | string): Promise<void> {
    await writeConfig(this.configFile, config);
  }

  /** The whole output, for the message of a failure. */
  everything(): string {
    return [...this.log.map((line) => JSON.stringify(line)), this.output].join('\n');
  }

  readonly #read = (line: string): void => {
    const parsed = parseLogLine(line);
    if (parsed === null) this.output += `${line}\n`;
    else this.log.push(parsed);
    this.#wake();
  };

  #wake(): void {
    const waiting = this.#onLine;
    this.#onLine = [];
    for (const resolve of waiting) resolve();
  }
}

function parseLogLine(line: string): LogLine | null {
  try {
    const value = JSON.parse(line) as LogLine;
    return typeof value.msg === 'string' ? value : null;
  } catch {
    return null;
  }
}
