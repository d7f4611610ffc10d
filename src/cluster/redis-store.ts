/** Keeps records in Redis. Only the daemon that runs the cycle of an account can replace its records. */
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey } from '../model/target.ts';
import { formatRecord, parseRecord } from '../state/record-file.ts';
import { goneAfterMs } from '../state/record-keeper.ts';
import { StoreError } from '../state/store.ts';
import { accountKeys, clusterKeys } from './keys.ts';
import {
  beginScript,
  changedAtOnce,
  changedScript,
  endScript,
  extendScript,
  listOf,
  readScript,
  removeScript,
  replaceScript,
  restoreScript,
} from './scripts.ts';

export interface RedisStoreOptions {
  /** Fails a command at once while it has no connection. */
  readonly redis: Redis;
  /** The name of the cluster. */
  readonly cluster: string;
  readonly collectors: CollectorSet;
  readonly lockMs: number;
}

/** A cycle that this daemon began. */
export interface BegunCycle {
  readonly epoch: number;
  /** The daemon of the cycle before; empty when it is unknown. */
  readonly formerMember: string;
  /** Whether that daemon had not ended its cycle. */
  readonly isTakenOver: boolean;
  /** Time since the end of the cycle before; 0 when it had not ended. */
  readonly idleMs: number;
  /** For how long a daemon that Redis has forgotten may still poll. */
  readonly forgottenMs: number;
  /** The due time of the last complete cycle, `null` before the first one. */
  readonly finishedDueMs: number | null;
  /**
   * Whether no other daemon began one since the last in which this daemon sent requests. A begin of this daemon
   * whose answer was lost may have come after another daemon, so the name of the former daemon does not show it.
   */
  readonly isNext: boolean;
}

/** The cycle of an account, as Redis has it. Times are milliseconds since the Unix epoch. */
export interface CycleState {
  /** The daemon of the last cycle; empty before the first one. */
  readonly member: string;
  readonly isRunning: boolean;
  readonly begunAtMs: number;
  /** The latest due time whose cycle has begun and was not given up; 0 before the first one. */
  readonly dueMs: number;
  readonly epoch: number;
}

/** A stored text with its revision. */
export interface StoredText {
  readonly key: string;
  readonly revision: number;
  readonly text: string;
}

/** What was read of an account. */
export interface ReadAccount {
  readonly account: string;
  readonly state: CycleState;
  readonly changed: readonly StoredText[];
  /** Rises when records with older revisions were written: then all must be read. */
  readonly whole: number;
  /** Whether more records follow. */
  readonly isPart: boolean;
}

/** `fenced`: another epoch began. `found`: the stored record has another revision. */
export type Refusal = 'fenced' | 'found';

/** The end of an answer, so that it arrives in time over a slow line too. */
const maxAnswerBytes = 256 * 1024;
const readAtOnce = 200;
const writtenAtOnce = 100;

interface Waiting {
  readonly record: TargetRecord;
  readonly expected: number;
  readonly resolve: (result: number | Refusal) => void;
  readonly reject: (error: unknown) => void;
}

export class RedisStore {
  readonly #options: RedisStoreOptions;
  readonly #keys: ReturnType<typeof clusterKeys>;
  /** The cycles that this daemon runs, by account. */
  readonly #cycles = new Map<string, BegunCycle>();
  /** The epoch of the last cycle in which this daemon may have sent requests, by account. */
  readonly #lastEpochs = new Map<string, number>();
  /** The records that wait to be written, by account, while others of the account are written. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #writing = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: RedisStoreOptions) {
    this.#options = options;
    this.#keys = clusterKeys(options.cluster);
  }

  /** The host and the port of Redis. */
  get address(): string {
    const { host, port } = this.#options.redis.options;
    return `${host ?? ''}:${port ?? ''}`;
  }

  /**
   * Begins the cycle of an account. The former daemon can no longer write.
   *
   * @param dueMs 0 for a cycle that the schedule does not ask for
   * @param id the cluster ID that this daemon knows
   * @returns `other` when Redis has another ID, `finished` when the cycle of this due time was finished before
   */
  async begin(
    account: string,
    { dueMs, id, member }: { readonly member: string; readonly dueMs: number; readonly id: string },
  ): Promise<BegunCycle | 'other' | 'finished'> {
    const { lockMs, redis } = this.#options;
    const { cycle } = this.#keysOf(account);
    const keys = [this.#keys.accounts, cycle, this.#keys.id];
    const answer = await beginScript.run(redis, keys, [account, member, dueMs, id, lockMs]);
    if (answer === 'other' || answer === 'finished') return answer;
    const [epoch, former, isTakenOver, idleMs, finished, formerEpoch, forgottenMs] = listOf(answer);
    const begun = {
      epoch: Number(epoch),
      formerMember: String(former),
      isTakenOver: Number(isTakenOver) === 1,
      idleMs: Number(idleMs),
      forgottenMs: Number(forgottenMs),
      finishedDueMs: Number(finished) || null,
      isNext: [0, this.#lastEpochs.get(account)].includes(Number(formerEpoch)),
    };
    this.#cycles.set(account, begun);
    return begun;
  }

  /** This daemon sends requests from now on: those of the former one no longer count. */
  sends(account: string): void {
    const epoch = this.#cycles.get(account)?.epoch;
    if (epoch !== undefined) this.#lastEpochs.set(account, epoch);
  }

  /** The running cycle of an account also serves a later due time. */
  async extend(account: string, dueMs: number): Promise<void> {
    const epoch = this.#cycles.get(account)?.epoch;
    if (epoch === undefined) return;
    await extendScript.run(this.#options.redis, [this.#keysOf(account).cycle], [epoch, dueMs]);
  }

  /** Ends the cycle of an account. It is not begun again if every target was polled. */
  async end(account: string, isComplete: boolean): Promise<void> {
    const cycle = this.#cycles.get(account);
    this.#cycles.delete(account);
    if (cycle === undefined) return;
    const { epoch, isTakenOver } = cycle;
    // The former daemon may still send: who comes next must wait it out, as if this cycle had not been.
    if (isTakenOver && this.#lastEpochs.get(account) !== epoch) return;
    const keys = [this.#keys.accounts, this.#keysOf(account).cycle];
    await endScript.run(this.#options.redis, keys, [account, epoch, isComplete ? 1 : 0]);
  }

  /**
   * What changed in the cluster since a revision, that one included.
   *
   * @returns its ID, and the revision of each account
   */
  async changed(since: number): Promise<{ id: string; revisions: Map<string, number> }> {
    this.#expectOpen();
    const revisions = new Map<string, number>();
    for (let from = since; ;) {
      const keys = [this.#keys.id, this.#keys.accounts];
      const answer = await changedScript.run(this.#options.redis, keys, [randomUUID(), from]);
      const [id, ...rest] = listOf(answer);
      for (let i = 0; i < rest.length; i += 2) {
        from = Number(rest[i + 1]);
        revisions.set(String(rest[i]), from);
      }
      if (rest.length < 2 * changedAtOnce) return { id: String(id), revisions };
    }
  }

  /**
   * Reads accounts until the answer is large: at least one of them, or a part of it.
   *
   * @param from the highest revision that was read of each account
   */
  async read(from: ReadonlyMap<string, number>): Promise<readonly ReadAccount[]> {
    this.#expectOpen();
    const asked = [...from].slice(0, readAtOnce);
    const args = asked.flatMap(([account, revision]) => {
      const { cycle, records, revisions } = this.#keysOf(account);
      return [cycle, records, revisions, revision];
    });
    const answers = listOf(
      await readScript.run(this.#options.redis, [], [maxAnswerBytes, ...args]),
    );
    return answers.map((answer, i) => readAccount(asked[i]?.[0] ?? '', listOf(answer)));
  }

  /**
   * The record of a stored text. A text that holds none is kept apart, because the next poll replaces it.
   *
   * @throws Error with the reason why the text is no record of its target
   */
  parse(account: string, { key, text }: StoredText): TargetRecord {
    try {
      const record = parseRecord(text, this.#options.collectors);
      if (targetKey(record.target) === key) return record;
      throw new Error(`holds the record of another target: ${targetKey(record.target)}`);
    } catch (error) {
      // Without the copy, the record starts over all the same.
      void this.#options.redis
        .hset(this.#keysOf(account).damaged, key, text)
        .catch(() => undefined);
      throw error;
    }
  }

  /**
   * Replaces the record of a target, if this daemon runs the cycle of its account. Records that wait for others of
   * their account are written together.
   *
   * @param expected the revision of the record that it continues; 0 when none is stored
   * @returns its revision
   */
  replace(record: TargetRecord, expected: number): Promise<number | Refusal> {
    this.#expectOpen();
    const { account } = record.target;
    return new Promise((resolve, reject) => {
      const save = { record, expected, resolve, reject };
      const waiting = this.#waiting.get(account);
      if (waiting !== undefined) {
        waiting.push(save);
        return;
      }
      this.#waiting.set(account, [save]);
      const writing = this.#writeAll(account).finally(() => this.#writing.delete(writing));
      this.#writing.add(writing);
    });
  }

  /**
   * Writes back what this daemon knows of an account and Redis has lost: the higher revision wins.
   *
   * @param epoch the last one that is known
   */
  async restore(
    account: string,
    known: { readonly id: string; readonly epoch: number },
    records: readonly { readonly record: TargetRecord; readonly revision: number }[],
  ): Promise<void> {
    const { lockMs, redis } = this.#options;
    const { cycle, records: texts, revisions } = this.#keysOf(account);
    const keys = [this.#keys.accounts, cycle, texts, revisions, this.#keys.id];
    const restore = (args: readonly (string | number)[]) =>
      restoreScript.run(redis, keys, [account, known.id, known.epoch, lockMs, ...args]);
    const byKey = new Map(records.map((each) => [targetKey(each.record.target), each]));
    const asked = [...byKey].flatMap(([key, { revision }]) => [key, revision, '']);
    for (const key of listOf(await restore(asked)).map(String)) {
      const lost = byKey.get(key);
      if (lost !== undefined) await restore([key, lost.revision, formatRecord(lost.record)]);
    }
  }

  /**
   * Removes records of targets that are gone for 30 days. The keys of accounts that this daemon does not watch expire
   * after that time, unless another daemon watches them.
   *
   * @returns the keys of the targets
   */
  async removeGone(
    watches: (account: string) => boolean,
    isLive: (key: string) => boolean,
  ): Promise<readonly string[]> {
    const { redis } = this.#options;
    const before = (Date.now() - goneAfterMs) * 1_000;
    const removed: string[] = [];
    for (const account of await redis.zrange(this.#keys.accounts, 0, -1)) {
      const { records, revisions, ...others } = this.#keysOf(account);
      const isWatched = watches(account);
      const keys = [records, revisions, ...Object.values(others)];
      for (const key of keys) {
        if (isWatched) await redis.persist(key);
        else if ((await redis.pttl(key)) === -1) await redis.pexpire(key, goneAfterMs);
      }
      if ((await redis.exists(others.cycle)) === 0) await redis.zrem(this.#keys.accounts, account);
      for (const key of isWatched ? await redis.zrangebyscore(revisions, 0, before) : []) {
        if (isLive(key)) continue;
        if ((await removeScript.run(redis, [records, revisions], [key, before])) === 1) {
          removed.push(key);
        }
      }
    }
    return removed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#writing);
  }

  async #writeAll(account: string): Promise<void> {
    const waiting = this.#waiting.get(account) ?? [];
    while (waiting.length > 0) {
      const saves = waiting.splice(0, writtenAtOnce);
      try {
        const results = await this.#write(account, saves);
        saves.forEach(({ resolve }, i) => {
          resolve(results[i] ?? 'fenced');
        });
      } catch (error) {
        for (const { reject } of saves) reject(error);
      }
    }
    this.#waiting.delete(account);
  }

  async #write(account: string, saves: readonly Waiting[]): Promise<readonly (number | Refusal)[]> {
    const epoch = this.#cycles.get(account)?.epoch;
    if (epoch === undefined) return [];
    const { cycle, records, revisions } = this.#keysOf(account);
    const keys = [this.#keys.accounts, cycle, records, revisions];
    const args = saves.flatMap(({ expected, record }) => [
      targetKey(record.target),
      expected,
      formatRecord(record),
    ]);
    const answer = await replaceScript.run(this.#options.redis, keys, [account, epoch, ...args]);
    return listOf(answer).map((each) => (each === 'found' ? each : Number(each)));
  }

  #expectOpen(): void {
    if (this.#isClosed) throw new StoreError('closed', 'the store is closed');
  }

  #keysOf(account: string) {
    return accountKeys(this.#options.cluster, account);
  }
}

function readAccount(account: string, answer: readonly unknown[]): ReadAccount {
  const [member, running, begun, due, epoch, whole, part, texts] = answer;
  const changed: StoredText[] = [];
  const list = listOf(texts);
  for (let i = 0; i < list.length; i += 3) {
    const [key, revision, text] = list.slice(i, i + 3);
    changed.push({ key: String(key), revision: Number(revision), text: String(text) });
  }
  const state = {
    member: String(member),
    isRunning: running === '1',
    begunAtMs: Number(begun),
    dueMs: Number(due),
    epoch: Number(epoch),
  };
  return { account, state, changed, whole: Number(whole), isPart: part === '1' };
}
