/** One emulator, and a series of daemons that are killed. Several lanes run in parallel. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../../src/emulator/emulator.ts';
import { spawnDaemon, type DaemonProcess, type Exit } from '../daemon-process.ts';
import { temporaryDirectory } from '../directories.ts';
import { Random } from '../random.ts';
import { Ledger } from './ledger.ts';
import { momentNames, moments, type Life, type MomentName } from './moments.ts';
import { configFor, scenario } from './world.ts';

/** A moment may not occur. The daemon is then killed anyway. */
const longestLifeMs = 5_000;

export interface Kill {
  readonly moment: MomentName;
  /** Whether it left a temporary file. The kill was then between the start of a write and its rename. */
  readonly interruptedWrite: boolean;
}

export class CrashLane {
  readonly kills: Kill[] = [];
  readonly #emulator: RunningEmulator;
  readonly #directory: string;
  readonly #random: Random;
  readonly #ledger: Ledger;
  #daemon: DaemonProcess | null = null;
  #startMs = 500;

  private constructor(emulator: RunningEmulator, directory: string, random: Random) {
    this.#emulator = emulator;
    this.#directory = directory;
    this.#random = random;
    this.#ledger = new Ledger(emulator);
  }

  static async open(seed: number): Promise<CrashLane> {
    const random = new Random(seed);
    const emulator = await startEmulator({ scenario, random: () => random.next() });
    const directory = await temporaryDirectory();
    await mkdir(join(directory, 'data'));
    const lane = new CrashLane(emulator, directory, random);
    onTestFinished(() => lane.#close());
    return lane;
  }

  /** The number of changes in the emulator. */
  get changes(): number {
    return this.#emulator.state.changes.total;
  }

  get differences(): readonly string[] {
    return this.#ledger.differences;
  }

  /** Starts a daemon, changes values while it runs, kills it at a moment, and changes more values. */
  async killOnce(): Promise<void> {
    const moment = this.#random.pick(momentNames);
    const daemon = await this.#spawn();
    const ending = new AbortController();
    const living = this.#live(daemon, ending.signal);
    await this.#awaitMoment(moment, daemon, ending.signal);
    daemon.signal('SIGKILL');
    const exit = await daemon.exited;
    ending.abort();
    await living;
    await this.#examine(moment, daemon, exit);
    if (this.#random.chance(0.5)) this.#ledger.changeSome(this.#random);
  }

  /** Waits until nothing changes, and compares twice: before a clean stop, and after a new start. */
  async settle(): Promise<void> {
    this.#ledger.rest();
    this.#emulator.faults.clear();
    for (const cycles of [2, 1]) {
      const daemon = await this.#spawn();
      const samples = await daemon.metricsWhen(
        (each) => (each.value('cvm_monitor_cycles_total') ?? 0) >= cycles,
      );
      this.#ledger.observe(samples);
      this.#ledger.compare(samples);
      const exit = await daemon.stop();
      if (exit.code !== 0) this.#ledger.differences.push(`no clean stop: ${daemon.everything()}`);
    }
    const leftovers = (await this.#storedFiles()).filter((name) => !name.endsWith('.json'));
    if (leftovers.length > 0) this.#ledger.differences.push(`left behind: ${leftovers.join()}`);
  }

  async #spawn(): Promise<DaemonProcess> {
    this.#daemon = await spawnDaemon({
      config: configFor(this.#emulator.url),
      directory: this.#directory,
    });
    return this.#daemon;
  }

  async #close(): Promise<void> {
    this.#daemon?.signal('SIGKILL');
    await this.#daemon?.exited;
    await this.#emulator.close();
  }

  /** Scrapes and changes values until the daemon has ended. */
  async #live(daemon: DaemonProcess, signal: AbortSignal): Promise<void> {
    const begunAtMs = performance.now();
    const url = await daemon.serving().catch(() => null);
    if (url === null) return;
    this.#startMs += (performance.now() - begunAtMs - this.#startMs) / 4;
    while (!signal.aborted) {
      const samples = await daemon.metrics().catch(() => null);
      if (samples === null) return;
      this.#ledger.observe(samples);
      this.#ledger.changeSome(this.#random);
      await delay(this.#random.integer(10, 150), undefined, { signal }).catch(() => undefined);
    }
  }

  async #awaitMoment(name: MomentName, daemon: DaemonProcess, signal: AbortSignal): Promise<void> {
    const life: Life = {
      daemon,
      emulator: this.#emulator,
      random: this.#random,
      startMs: this.#startMs,
      signal,
    };
    const tooLong = delay(longestLifeMs, undefined, { signal }).catch(() => undefined);
    await Promise.race([moments[name](life), daemon.exited, tooLong]);
  }

  async #examine(moment: MomentName, daemon: DaemonProcess, exit: Exit): Promise<void> {
    const wasKilled = exit.signal === 'SIGKILL';
    if (wasKilled) {
      const files = await this.#storedFiles();
      this.kills.push({ moment, interruptedWrite: files.some((name) => name.includes('.tmp-')) });
    }
    const errors = daemon.log.filter(({ level }) => level === 'error');
    if ((wasKilled || exit.code === 0) && errors.length === 0) return;
    this.#ledger.differences.push(`${moment}: the daemon reports an error: ${daemon.everything()}`);
  }

  #storedFiles(): Promise<string[]> {
    return readdir(join(this.#directory, 'data'));
  }
}
