/**
 * The built program, as its users run it: separate processes, files, signals, HTTP.
 *
 * `PROGRAM` names the `main.js` under test. It defaults to the one of this checkout.
 *
 *     const daemon = await startDaemon({ config: configOf(emulator, { regions: ['ap-guangzhou'] }) });
 *     await daemon.cycle();             // every target was polled once more, by a poll that began after this call
 *     (await daemon.metrics()).value('cvm_quota_used', { quota_type: 'postpaid' });
 *     await daemon.logged('change');    // the first line with this message, now or later
 *     await daemon.feed();              // ['lt-b8v1kcyq: default-version-changed 1 → 2', …]
 *     await daemon.restart();           // SIGTERM, and another one with the same files; restart('SIGKILL') kills
 *     await run('check', { config, flags: ['--output=json'] });
 *     startProgram('sh', ['-c', '…']);  // any other program; atTerminal(…) gives it a terminal
 *
 * What is started ends with its test.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { temporaryDirectory, temporaryFile } from './directories.ts';
import { emulateRegions } from './emulator.ts';
import { type Labels, Samples } from './exposition.ts';

/** The `main.js` under test. */
export const mainFile =
  process.env.PROGRAM ?? fileURLToPath(new URL('../../dist/main.js', import.meta.url));

if (!existsSync(mainFile)) throw new Error(`${mainFile} is not there; run npm run build`);

/** What every process gets of the environment. As in the image, it finds compiled code; Node.js 20 does not look for it. */
const usualEnv = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)),
};

/** A configuration file, as an object: JSON is YAML. */
export type Config = Readonly<Record<string, unknown>>;
type Keys = Readonly<Record<string, unknown>>;

/**
 * A configuration for an emulator: a cycle each second, one account `production` without a key.
 *
 * @param regions of that account; `accounts` in `more` replaces it
 * @param more further keys. Those of `poll`, `api` and `account` are added to what is there
 */
export function configOf(
  emulator: { readonly url: string },
  more: { regions?: unknown; poll?: Keys; api?: Keys; account?: Keys; [key: string]: unknown },
): Config {
  const { regions = ['ap-guangzhou'], poll, api, account, ...rest } = more;
  return {
    poll: { schedule: '* * * * * *', ...poll },
    api: { endpoint: emulator.url, sts_endpoint: emulator.url, proxy: 'none', ...api },
    accounts: [{ name: 'production', credentials: { type: 'none' }, regions, ...account }],
    ...rest,
  };
}

/** The flag of Node.js for a fixture that changes what the process finds, such as its clock or disk. */
export const preload = (fixture: string): string =>
  `--import=${new URL(`fixtures/process/${fixture}.js`, import.meta.url).href}`;

export interface ProcessOptions {
  /** Flags after the command. */
  readonly flags?: readonly string[];
  /** Flags of Node.js, such as {@link preload}. */
  readonly nodeFlags?: readonly string[];
  /** Environment variables, besides {@link usualEnv}. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface DaemonOptions extends ProcessOptions {
  readonly config: Config | string;
  /** The directory of `config.yaml` and `data/`. Defaults to a new one. */
  readonly directory?: string;
  /** The `main.js` of another build. Defaults to the one under test. */
  readonly program?: string;
  /** Defaults to `data/` in the directory. */
  readonly storagePath?: string;
}

export type LogLine = Readonly<Record<string, unknown>> & {
  readonly msg: string;
  readonly level: string;
};

/** How a process ended: by a code or by a signal. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Starts a daemon and waits until every target was attempted. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const daemon = await spawnDaemon(options);
  await daemon.ready();
  return daemon;
}

/**
 * Starts a daemon that watches an emulator.
 *
 * @param more see {@link configOf}
 */
export const watchEmulator = (
  emulator: Parameters<typeof configOf>[0],
  more: Parameters<typeof configOf>[1] = {},
  options: Partial<DaemonOptions> = {},
): Promise<Daemon> => startDaemon({ config: configOf(emulator, more), ...options });

/**
 * Starts an emulator with every region that the configuration names, and a daemon that watches them.
 *
 * @param more see {@link configOf}
 */
export async function startWatched(
  more: Parameters<typeof configOf>[1] = {},
  options: Partial<DaemonOptions> = {},
) {
  const { regions = ['ap-guangzhou'] } = more as { regions?: (string | { name: string })[] };
  const names = regions.map((each) => (typeof each === 'string' ? each : each.name));
  const emulator = await emulateRegions(...names);
  return { emulator, daemon: await watchEmulator(emulator, more, options) };
}

/** Starts a daemon, and waits for nothing. */
export async function spawnDaemon(options: DaemonOptions): Promise<Daemon> {
  const daemon = await prepareDaemon(options);
  daemon.spawn();
  return daemon;
}

/** A daemon with its files, which a test starts with {@link Daemon.spawn}. */
export async function prepareDaemon(options: DaemonOptions): Promise<Daemon> {
  const directory = options.directory ?? (await temporaryDirectory());
  const daemon = new Daemon({ ...options, directory });
  onTestFinished(async () => {
    await daemon.stop('SIGKILL');
  });
  await mkdir(directory, { recursive: true });
  await daemon.configure(options.config);
  return daemon;
}

/** A daemon, and after {@link Daemon.restart} the next one on the same files. */
export class Daemon {
  readonly directory: string;
  readonly configFile: string;
  readonly storagePath: string;
  /** Every line of the log, of all processes. */
  readonly log: LogLine[] = [];
  /** The output besides the log, such as the reason why it could not start. */
  output = '';
  /** Resolves when the present process has ended and its whole output was read. */
  exited: Promise<Exit> = Promise.resolve({ code: null, signal: null });
  readonly #options: DaemonOptions;
  #child: ChildProcess | null = null;
  #hasExited = true;
  /** Where the log of the present process begins. */
  #logStart = 0;
  #onLine: (() => void)[] = [];

  constructor(options: DaemonOptions & { readonly directory: string }) {
    this.#options = options;
    this.directory = options.directory;
    this.configFile = join(this.directory, 'config.yaml');
    this.storagePath = options.storagePath ?? join(this.directory, 'data');
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  spawn(): void {
    const { flags = [], nodeFlags = [], env } = this.#options;
    const child = spawn(
      process.execPath,
      [
        ...nodeFlags,
        this.#options.program ?? mainFile,
        'serve',
        `--config.file=${this.configFile}`,
        `--storage.path=${this.storagePath}`,
        '--web.listen-address=127.0.0.1:0',
        '--web.enable-lifecycle',
        '--log.format=json',
        ...flags,
      ],
      { env: { ...usualEnv, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.#child = child;
    this.#hasExited = false;
    this.#logStart = this.log.length;
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', this.#read);
    }
    this.exited = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.#hasExited = true;
        this.#wake();
        resolve({ code, signal });
      });
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    this.signal(signal);
    return this.exited;
  }

  /** Stops the process, starts the next one, and waits until every target was attempted. */
  async restart(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.stop(signal);
    this.spawn();
    await this.ready();
  }

  /** Writes the configuration in one step, as editors and mounted volumes do. It does not reload. */
  async configure(config: Config | string): Promise<void> {
    await writeFile(`${this.configFile}.new`, textOf(config));
    await rename(`${this.configFile}.new`, this.configFile);
  }

  /** Writes the configuration, and resolves with the status of `POST /-/reload`. */
  async reload(config: Config | string): Promise<number> {
    await this.configure(config);
    return (await this.get('/-/reload', { method: 'POST' })).status;
  }

  /**
   * Resolves with the first line with this message for which the predicate is true, of the present process.
   *
   * @throws when the process ends without such a line
   */
  async logged(message: string, isIt: (line: LogLine) => boolean = () => true): Promise<LogLine> {
    for (let next = this.#logStart; ;) {
      const line = this.log.slice(next).find((each) => each.msg === message && isIt(each));
      if (line !== undefined) return line;
      if (this.#hasExited) throw new Error(`ended without "${message}":\n${this.everything()}`);
      next = this.log.length;
      await new Promise<void>((resolve) => this.#onLine.push(resolve));
    }
  }

  /** Resolves when the storage is read. Until then, only `/-/healthy` is not 503. */
  async loaded(): Promise<void> {
    await this.logged('polling');
  }

  /** Resolves with the address of the daemon when it listens. */
  async url(): Promise<string> {
    return (await this.logged('serving')).url as string;
  }

  async get(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch((await this.url()) + path, init);
  }

  async text(path: string): Promise<string> {
    return (await this.get(path)).text();
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  async json(path: string): Promise<any> {
    return (await this.get(path)).json();
  }

  async metrics(): Promise<Samples> {
    const response = await this.get('/metrics');
    return new Samples(response.ok ? await response.text() : '');
  }

  /** Resolves when every target was attempted. */
  async ready(): Promise<void> {
    await this.loaded();
    while (!(await this.get('/-/ready')).ok) await delay(50);
  }

  /** Resolves with the first exposition for which `isIt` is true. */
  async metricsWhen(isIt: (samples: Samples) => boolean): Promise<Samples> {
    for (;;) {
      const samples = await this.metrics();
      if (isIt(samples)) return samples;
      await delay(100);
    }
  }

  /**
   * Resolves with the first exposition in which every target was polled by a poll that began after this
   * call. What the service said before is then of no account.
   *
   * @param of the labels of the targets that count. A template that was discovered is polled only when its
   *   numbers in the list moved: with discovery, wait for `{ operation: 'DescribeLaunchTemplates' }`
   */
  cycle(of: Labels = {}): Promise<Samples> {
    const sinceSeconds = Date.now() / 1000;
    return this.metricsWhen((samples) => {
      const targets = samples.matching('cvm_monitor_target_up', of);
      return (
        targets.length > 0 &&
        targets.every(({ labels }) => {
          const about = (name: string) =>
            samples
              .matching(`cvm_monitor_target_last_poll_${name}`, labels)
              .find((each) => each.labels.template_id === labels.template_id)?.value ?? NaN;
          return about('timestamp_seconds') - about('duration_seconds') > sinceSeconds;
        })
      );
    });
  }

  /** The changes that were found, the oldest first: `WHERE: KIND FROM → TO`. */
  async feed(): Promise<string[]> {
    const { changes } = (await this.json('/api/v1/changes')) as { changes: ChangeRow[] };
    return changes.toReversed().map(({ region, template_id, quota_type, zone, kind, from, to }) => {
      const where = template_id ?? [quota_type, zone].filter(Boolean).join('/');
      const values = [from, to].filter((value) => (value ?? null) !== null).join(' → ');
      return `${where === '' ? region : where}: ${kind} ${values}`.trim();
    });
  }

  /** The text of each stored record, by the name of its file. What is being written is none. */
  async records(): Promise<ReadonlyMap<string, string>> {
    const names = (await readdir(this.storagePath)).filter((name) => name.endsWith('.json'));
    const texts = names.map((name) => readFile(join(this.storagePath, name), 'utf8'));
    return new Map((await Promise.all(texts)).map((text, n) => [names[n]!, text]));
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

interface ChangeRow {
  readonly region: string;
  readonly template_id?: string | null;
  readonly quota_type?: string | null;
  readonly zone?: string | null;
  readonly kind: string;
  readonly from?: number | string | null;
  readonly to?: number | string | null;
}

function parseLogLine(line: string): LogLine | null {
  try {
    const value = JSON.parse(line) as LogLine;
    return typeof value.msg === 'string' ? value : null;
  } catch {
    return null;
  }
}

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions extends ProcessOptions {
  /** Written to a file that `--config.file` names. */
  readonly config?: Config | string;
  /** Defaults to none. `null` for an input that {@link Running.type} writes. */
  readonly input?: string | null;
  /** The working directory. */
  readonly directory?: string;
}

/** Runs a command until it ends. */
export async function run(command: string, options: RunOptions = {}): Promise<Result> {
  return (await start(command, options)).result;
}

/** Starts a command. */
export async function start(command: string, options: RunOptions = {}): Promise<Running> {
  const { config, flags = [], nodeFlags = [], env, ...others } = options;
  const files =
    config === undefined
      ? []
      : [`--config.file=${await temporaryFile('config.yaml', textOf(config))}`];
  const args = [...nodeFlags, mainFile, command, ...files, ...flags];
  return startProgram(process.execPath, args, { ...usualEnv, ...env }, others);
}

export interface Running {
  readonly result: Promise<Result>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Resolves with the match when standard output or standard error contains the pattern. */
  readonly shows: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Writes to standard input. */
  readonly type: (text: string) => void;
}

/** Starts any program, by default with the environment of this process. */
export function startProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = { ...process.env, FORCE_COLOR: '' },
  { directory, input = '' }: Pick<RunOptions, 'directory' | 'input'> = {},
): Running {
  const child = spawn(program, args, { env, cwd: directory, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  // A program may end before it has read everything.
  child.stdin.on('error', () => undefined);
  if (input !== null) child.stdin.end(input);
  const output = { stdout: '', stderr: '' };
  const onOutput = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const look of onOutput) look();
    });
  }
  const result = new Promise<Result>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, ...output });
    });
  });
  return {
    result,
    signal: (signal) => void child.kill(signal),
    type: (text) => void child.stdin.write(text),
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
          if (match === null) return;
          onOutput.delete(look);
          resolve(match);
        };
        onOutput.add(look);
        look();
        void result.then(({ stderr }) => {
          reject(new Error(`ended without ${String(pattern)}: ${stderr}`));
        });
      }),
  };
}

/**
 * Starts a command in a terminal of its own, which also shows standard error. Needs `script` of bsdutils, which
 * every Debian has.
 */
export function atTerminal(
  args: readonly string[],
  { env, input = '' }: Pick<RunOptions, 'env' | 'input'> = {},
): Running {
  const quoted = [process.execPath, mainFile, ...args].map((arg) => `'${arg}'`).join(' ');
  return startProgram(
    'script',
    ['--quiet', '--return', '--command', `stty cols 100 rows 50; ${quoted}`, '/dev/null'],
    { PATH: process.env.PATH, TERM: 'xterm', ...env },
    { input },
  );
}

const textOf = (config: Config | string) =>
  typeof config === 'string' ? config : JSON.stringify(config);
