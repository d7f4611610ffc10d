import { codeOf } from '../model/errors.ts';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../model/clock.ts';
import { type FileSystem } from './file-system.ts';
import { shareRuns } from './concurrency.ts';
import { livenessOf, parseHolder, type LockHolder } from './lock-holder.ts';
import { StoreLockedError } from './store-locked-error.ts';

export interface LockTiming {
  /** How often the holder touches its lock. */
  readonly beatMs: number;
  /** Time without a touch after which a holder counts as dead, if its pid cannot be checked. */
  readonly silenceMs: number;
}

/** The holder may miss three beats. A container that crashed runs again within ten seconds. */
const defaultTiming: LockTiming = { beatMs: 3_000, silenceMs: 9_000 };

interface LockOptions {
  readonly directory: string;
  readonly self: LockHolder;
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  /** Called once, when another process is found to have taken a lock that was held. */
  readonly onLost: (error: StoreLockedError) => void;
  readonly timing?: LockTiming | undefined;
}

type State =
  | { readonly name: 'unlocked' }
  | { readonly name: 'held'; readonly beatAtMs: number }
  | { readonly name: 'lost'; readonly error: StoreLockedError };

/** A lock file as it was found. */
interface LockFileState {
  readonly text: string;
  readonly modifiedAtMs: number;
  /** How many looks in a row have found it as it is. */
  readonly looks: number;
  /** Whether its holder touched it since the look before. */
  readonly wasTouched: boolean;
}

/** How many looks a silent holder gets within the time it may be silent. */
const looksPerSilence = 10;
/** How often a lock is tried before an acquisition is given up for now. */
const maxAttempts = 100;
const maxLockBytes = 65_536;

/**
 * The file `lock` in a directory, which says who may write there. The holder touches it at every beat.
 * This process takes over the lock of a dead process. A process is dead when its pid is free or belongs
 * to a later process. Where pids say nothing (another machine or container, a text that is no lock), it
 * is dead when it missed its beats.
 */
export class DirectoryLock {
  readonly #options: LockOptions;
  readonly #timing: LockTiming;
  readonly #path: string;
  readonly #text: string;
  #state: State = { name: 'unlocked' };
  #term = 0;
  readonly #confirm = shareRuns(() => this.#check());
  #checking: Promise<void> | null = null;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LockOptions) {
    this.#options = options;
    this.#timing = options.timing ?? defaultTiming;
    this.#path = join(options.directory, 'lock');
    this.#text = `${JSON.stringify(options.self)}\n`;
  }

  get isHeld(): boolean {
    return this.#state.name === 'held';
  }

  /**
   * How often the lock was taken. In another term the directory may be another one, or another
   * process may have written to it.
   */
  get term(): number {
    return this.#term;
  }

  /**
   * Creates the directory where it does not exist, and takes the lock.
   *
   * @throws StoreLockedError when a living process holds it
   * @throws Error of the system call that failed; the lock can be acquired later
   */
  async acquire(signal: AbortSignal): Promise<void> {
    await this.#options.fileSystem.makeDirectory(this.#options.directory);
    await this.#link(signal);
    this.#term += 1;
    this.#state = { name: 'held', beatAtMs: this.#options.clock.now() };
    this.#timer ??= setInterval(() => {
      // A beat that fails is no loss: the next save looks again and reports the failure.
      this.#check().catch(() => undefined);
    }, this.#timing.beatMs).unref();
  }

  /**
   * Resolves when the lock is held, after an attempt to acquire it where that failed before. A process
   * that was suspended has missed beats: it looks at the lock file first.
   *
   * @throws StoreLockedError when another process holds it
   * @throws Error of the system call that failed
   */
  async ensureHeld(): Promise<void> {
    const state = this.#state;
    const sinceBeatMs =
      state.name === 'held' ? this.#options.clock.now() - state.beatAtMs : Infinity;
    if (Math.abs(sinceBeatMs) < 2 * this.#timing.beatMs) return;
    await this.#check();
  }

  /**
   * Reads the lock file, also if it was read recently, and resolves when the lock is held.
   *
   * @throws StoreLockedError when another process holds it
   * @throws Error of the system call that failed
   */
  async confirm(): Promise<void> {
    await this.#confirm();
  }

  /** Ends a wait for a silent holder, so that a process can stop at once. */
  stopWaiting(): void {
    this.#closing.abort();
  }

  /** Gives up the lock, and removes its file if it is ours. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#checking?.catch(() => undefined);
    if (!this.isHeld) return;
    this.#state = { name: 'unlocked' };
    const { fileSystem } = this.#options;
    if (await fileSystem.touch(this.#path, this.#text)) await fileSystem.remove(this.#path);
  }

  #check(): Promise<void> {
    this.#checking ??= this.#beatOrAcquire().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  async #beatOrAcquire(): Promise<void> {
    // A look that was asked for before, and begins now.
    if (this.#state.name === 'lost') throw this.#state.error;
    try {
      if (!this.isHeld || !(await this.#beat())) await this.acquire(this.#closing.signal);
    } catch (error) {
      if (error instanceof StoreLockedError) this.#lose(error);
      throw error;
    }
  }

  /** `false` when the lock file was removed. */
  async #beat(): Promise<boolean> {
    const { clock, directory, fileSystem } = this.#options;
    try {
      if (await fileSystem.touch(this.#path, this.#text)) {
        this.#state = { name: 'held', beatAtMs: clock.now() };
        return true;
      }
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    }
    const text = await fileSystem.read(this.#path, maxLockBytes);
    throw new StoreLockedError(directory, parseHolder(text));
  }

  #lose(error: StoreLockedError): void {
    clearInterval(this.#timer);
    this.#state = { name: 'lost', error };
    this.#options.onLost(error);
  }

  /**
   * Puts our lock file in place, with its whole text from its first moment. Looks at the present lock
   * first, because that needs no room on the disk.
   */
  async #link(signal: AbortSignal): Promise<void> {
    const { fileSystem, self } = this.#options;
    const temporary = `${this.#path}.tmp-${self.id}`;
    let found: LockFileState | null = null;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      found = await this.#look(this.#path, found);
      // Over a network, link(2) may report a failure although it created the link.
      if (found?.text === this.#text) return;
      const liveness = found === null ? 'dead' : await this.#livenessOf(found);
      try {
        await fileSystem.write(temporary, this.#text);
        if (found === null) {
          await fileSystem.link(temporary, this.#path);
          return;
        }
        const isDead = await this.#isDead(found, temporary);
        if (isDead && (await this.#replace([found.text], temporary))) return;
      } catch (error) {
        if (codeOf(error) === 'EEXIST') continue;
        // Even where nothing can be written, the holder may show that it lives.
        const mayLive = liveness === 'unknown' && (found?.looks ?? 0) < looksPerSilence;
        if (error instanceof StoreLockedError || !mayLive) throw error;
      } finally {
        await fileSystem.remove(temporary).catch(() => undefined);
      }
      await sleep(this.#timing.silenceMs / looksPerSilence, undefined, { signal });
    }
    throw new Error(`${this.#path} could not be taken over`);
  }

  /** A lock file as it is now; `null` when it has just gone. */
  async #look(path: string, before: LockFileState | null): Promise<LockFileState | null> {
    const { fileSystem } = this.#options;
    try {
      const text = await fileSystem.read(path, maxLockBytes);
      const modifiedAtMs = await fileSystem.modifiedAtMs(path);
      const isSame = before?.text === text;
      const wasTouched = isSame && before.modifiedAtMs !== modifiedAtMs;
      return { text, modifiedAtMs, wasTouched, looks: isSame ? before.looks + 1 : 0 };
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  /** @throws StoreLockedError when the holder lives */
  async #livenessOf({ text, wasTouched }: LockFileState): Promise<'dead' | 'unknown'> {
    const { directory, self } = this.#options;
    const holder = parseHolder(text);
    const liveness = await livenessOf(holder, self);
    if (liveness === 'alive' || wasTouched) throw new StoreLockedError(directory, holder);
    return liveness;
  }

  /**
   * @param justWritten a file that was written just now: its time is the present by the clock of the file
   *   system, which may differ from ours
   * @throws StoreLockedError when the holder lives
   */
  async #isDead(found: LockFileState, justWritten: string): Promise<boolean> {
    if ((await this.#livenessOf(found)) === 'dead') return true;
    const { modifiedAtMs, looks } = found;
    const silentMs = (await this.#options.fileSystem.modifiedAtMs(justWritten)) - modifiedAtMs;
    return silentMs >= this.#timing.silenceMs || looks >= looksPerSilence;
  }

  /**
   * Replaces the lock of a dead process by ours. If several processes try, one succeeds: the first to create
   * the claim, a file that is named after the text of the dead process. If that process dies too, its claim is
   * claimed in the same way. A lock that no longer belongs to one of the `dead` stays unchanged.
   *
   * @param dead texts, each of which claimed the one before; the first one was found in the lock
   * @param temporary our temporary file, with our text
   */
  async #replace(dead: readonly string[], temporary: string): Promise<boolean> {
    const { fileSystem } = this.#options;
    const claim = `${this.#path}.claim-${createHash('sha256')
      .update(dead.at(-1) ?? '')
      .digest('hex')}`;
    try {
      await fileSystem.link(temporary, claim);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      const claimant = await this.#look(claim, null);
      if (claimant === null || !(await this.#isDead(claimant, temporary))) return false;
      return this.#replace([...dead, claimant.text], temporary);
    }
    try {
      const present = await this.#look(this.#path, null);
      if (present === null || !dead.includes(present.text)) return false;
      await fileSystem.rename(temporary, this.#path);
      return true;
    } finally {
      await fileSystem.remove(claim).catch(() => undefined);
    }
  }
}
