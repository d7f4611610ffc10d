/** The processes and directories of a measurement: whatever it starts is ended with it. */
import { once } from 'node:events';
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { imageFlags } from '../support/image-flags.ts';

/** Of the repository. */
export const root = fileURLToPath(new URL('../../../../', import.meta.url));
/** The built program, as its users run it. */
const mainFile = fileURLToPath(new URL('../../../main.js', import.meta.url));

/** What runs a process of JavaScript. */
export interface Runtime {
  /** The path of a Node. */
  readonly node: string;
  /** Variables beside PATH. */
  readonly env: Readonly<Record<string, string>>;
}

const thisRuntime: Runtime = { node: process.execPath, env: {} };
/** The address is in the log. */
const serverFlags = ['--log.format=json', '--web.listen-address=127.0.0.1:0'];
/** Ticks per second of the times in /proc, on every Linux that Node runs on. */
const ticksPerSecond = 100;

export class Workbench {
  readonly #imageNode: string;
  readonly #children = new Set<ChildProcess>();
  readonly #endings: (() => unknown)[] = [];

  /** @param imageNode the path of the image's Node */
  constructor(imageNode: string) {
    this.#imageNode = imageNode;
  }

  /** Has something done when the measurement is over. */
  atEnd(work: () => unknown): void {
    this.#endings.push(work);
  }

  /** A new directory, which is removed at the end. */
  async directory(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'cvm-quota-monitor-bench-'));
    this.atEnd(() => rm(path, { recursive: true, force: true }));
    return path;
  }

  /** The image's Node with a new compile cache. A process fills it when it exits, not when it is killed. */
  async imageRuntime(): Promise<Runtime> {
    return { node: this.#imageNode, env: { NODE_COMPILE_CACHE: await this.directory() } };
  }

  /** Runs a file of `sides/`, which prints one line of JSON when it is ready. */
  side(name: string, argument: unknown = {}, runtime = thisRuntime): Promise<Side> {
    const file = fileURLToPath(new URL(`sides/${name}.js`, import.meta.url));
    const args = [file, JSON.stringify(argument)];
    return this.#node(runtime, args, (line) => JSON.parse(line) as object);
  }

  /** Runs the daemon as the image does, with the flags of `serve`, and waits until it serves. */
  daemon(
    flags: readonly string[],
    nodeFlags: readonly string[] = [],
    runtime = thisRuntime,
  ): Promise<Side> {
    const args = [...imageFlags(root), ...nodeFlags, mainFile, 'serve', ...serverFlags, ...flags];
    return this.#node(runtime, args, (line) => entryOf(line, 'serving'));
  }

  /** Runs the emulator with the flags of `emulate`, and waits until it serves. */
  emulator(flags: readonly string[]): Promise<Side> {
    const args = [mainFile, 'emulate', ...serverFlags, ...flags];
    return this.#node(thisRuntime, args, (line) => entryOf(line, 'emulating'));
  }

  /** Runs a program in the root of the repository and waits until its server answers. */
  async program(command: string, args: readonly string[], url: string): Promise<Side> {
    const child = this.#spawn(command, args, { stdio: 'ignore' });
    while (!(await answers(url))) {
      if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`);
      await delay(50);
    }
    return new Side(child, { url });
  }

  /** Ends every process, then whatever else there is. */
  async end(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    for (const work of this.#endings.toReversed()) await work();
  }

  async #node(
    { node, env }: Runtime,
    args: readonly string[],
    readyWith: (line: string) => object | null,
  ): Promise<Side> {
    const child = this.#spawn(node, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    const output: string[] = [];
    const ready = await new Promise<object>((resolve, reject) => {
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
    return new Side(child, ready);
  }

  #spawn(command: string, args: readonly string[], { env, stdio }: SpawnOptions): ChildProcess {
    const child = spawn(command, args, {
      cwd: root,
      env: { PATH: process.env.PATH, ...env },
      stdio,
    });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }
}

/** A process that is measured. */
export class Side {
  readonly #child: ChildProcess;
  /** What it said when it was ready. */
  readonly #ready: Readonly<Record<string, unknown>>;

  constructor(child: ChildProcess, ready: object) {
    this.#child = child;
    this.#ready = { ...ready };
  }

  /** Where it is reached. */
  get url(): string {
    return String(this.#ready.url);
  }

  /** User and system time since its start. */
  async cpuMs(): Promise<number> {
    const stat = await readFile(`/proc/${this.#child.pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
  }

  async residentMiB(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  }

  /** Sends a message, and gives the answer to it. */
  async ask<Answer>(message: unknown): Promise<Answer> {
    const listening = new AbortController();
    const { signal } = listening;
    const answered = once(this.#child, 'message', { signal });
    const ended = once(this.#child, 'exit', { signal }).then(([code]) => {
      throw new Error(`a measured process ended with ${code}`);
    });
    this.#child.send(message as object);
    try {
      const [answer] = await Promise.race([answered, ended]);
      return answer as Answer;
    } finally {
      listening.abort();
    }
  }

  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill(signal);
    await gone;
  }
}

/** The log entry of a line if it has this message. */
function entryOf(line: string, msg: string): object | null {
  const entry = JSON.parse(line) as { msg: string };
  return entry.msg === msg ? entry : null;
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
