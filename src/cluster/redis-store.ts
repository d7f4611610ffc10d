/**
 * What daemons share in Redis: the records of accounts, and the state of their cycles. Only the daemon that runs the cycle
 * of an account can replace the account's records. `SharedRecords` and `CycleJobs` call it.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { ClusterConfig } from '../config/config.ts';
import { KeyedQueue } from '../model/async.ts';
import { messageOf } from '../model/errors.ts';
import { parseJson } from '../model/json.ts';
import { freshnessSchema, type TargetRecord } from '../model/record.ts';
import { targetKey } from '../model/target.ts';
import { formatRecord, parseRecord } from '../storage/record-file.ts';
import { observedPeriodMs } from '../storage/local-records.ts';
import { StoreError } from '../storage/store-error.ts';
import { clusterKeys } from './keys.ts';
import * as scripts from './scripts.ts';

export interface RedisStoreOptions {
  /** A connection that rejects commands at once while it is broken. */
  readonly redis: Redis;
  readonly config: Pick<ClusterConfig, 'name' | 'lockMs'>;
  readonly collectors: CollectorSet;
}

/** The cycle of an account, from the fields of its hash in Redis. */
const cycleState = ({ member = '', isRunning, finishedDueMs, epoch }: Record<string, string>) => ({
  /** The ID of the daemon that began the last cycle; empty before the first one. */
  member,
  /** From the begin of a cycle to its end; also when its daemon has died before the end. */
  isRunning: isRunning === '1',
  /** The due time of the last complete cycle, in milliseconds since the Unix epoch; `null` before the first one. */
  finishedDueMs: finishedDueMs === undefined ? null : Number(finishedDueMs),
  /** The epoch of the last cycle that began; 0 before the first one. It falls only when Redis has lost writes. */
  epoch: Number(epoch ?? 0),
});
export type CycleState = Readonly<ReturnType<typeof cycleState>>;

/** The state of an account whose cycle no daemon has begun yet. */
export const noCycleYet = cycleState({});

/** Reads a sorted set that Redis lists with its scores: the score of each member, in the order of the list. */
function scoresOf(list: readonly unknown[]): Map<string, number> {
  const scores = new Map<string, number>();
  for (let i = 0; i < list.length; i += 2) scores.set(String(list[i]), Number(list[i + 1]));
  return scores;
}

/** A record, and the revision that the last write of it gave it, also if that changed only the times. */
export interface RecordWithRevision {
  readonly record: TargetRecord;
  readonly revision: number;
}

/** The most records in one command or answer: it passes within 2 s over a slow line too. */
const recordsAtOnce = 25;

/** A write waits this long for further records of its account, because polls of an account often end together. */
const batchDelayMs = 20;

/** A record for {@link scripts.replace}. `keptText`: the revision of the text that stays; `null`: `text` replaces it. */
type Save = [key: string, expected: number, times: string, keptText: number | null, text: string];

/** Records of an account that a cycle writes together. */
interface Batch {
  readonly epoch: number;
  readonly saves: Save[];
  /** One for each of `saves`, in their order. */
  readonly answers: Promise<readonly unknown[]>;
}

/** The times as one line, with the counters of polls: when they are read, `freshnessSchema` sets these to 0. */
const formatTimes = ({ observed }: TargetRecord) => JSON.stringify(observed.freshness);

export class RedisStore {
  readonly #options: RedisStoreOptions;
  readonly #keys: ReturnType<typeof clusterKeys>;
  /** Runs the writes of one account one after the other. */
  readonly #queue = new KeyedQueue();
  /** The batch of each account that still takes records. */
  readonly #batches = new Map<string, Batch>();
  /**
   * By key: the record whose text Redis has, as this daemon last wrote or read it, and the revision of that write. Later
   * writes of times alone raise the revision of the record, not this one.
   */
  readonly #texts = new Map<string, { record: TargetRecord; textRevision: number }>();

  constructor(options: RedisStoreOptions) {
    this.#options = options;
    this.#keys = clusterKeys(options.config.name);
  }

  /**
   * Begins the cycle of an account. From now on, the daemon of the last cycle cannot write.
   *
   * @param dueMs `null` for a cycle that the schedule does not ask for
   * @param id the cluster ID that this daemon knows
   * @param member the ID of this daemon
   * @returns `id-changed` when Redis has another cluster ID, because it was emptied; `already-finished` when a cycle of
   *   this due time, or of a later one, is complete; else the epoch of the cycle; `takenFrom`, the ID of the daemon that
   *   began the last cycle if it had not ended it, else empty; and the milliseconds until the requests of the last cycle
   *   no longer count for the rate limit
   */
  async beginCycle(
    account: string,
    { dueMs, id, member }: Readonly<{ dueMs: number | null; id: string; member: string }>,
  ) {
    const args = [member, dueMs ?? 0, id, this.#options.config.lockMs];
    const answer = await this.#run(scripts.begin, account, args);
    if (answer === 'id-changed' || answer === 'already-finished') return answer;
    const [epoch, takenFrom, waitMs] = scripts.asList(answer);
    return { epoch: Number(epoch), takenFrom: String(takenFrom), waitMs: Number(waitMs) };
  }

  /**
   * Ends the cycle of an account. Does nothing when another one has begun.
   *
   * @param finishedDueMs the due time of a complete cycle, which is then not begun again; `null` for an incomplete one
   * @param gone the keys of targets whose records are removed
   */
  async endCycle(
    account: string,
    epoch: number,
    finishedDueMs: number | null,
    gone: readonly string[] = [],
  ): Promise<void> {
    await this.#run(scripts.end, account, [epoch, finishedDueMs ?? 0, ...gone]);
    for (const key of gone) this.#texts.delete(key);
  }

  /**
   * Reads which accounts changed since a revision, that one included. Creates the cluster ID if there is none.
   *
   * @returns the cluster ID, and the revision of each of these accounts, the highest last
   */
  async readChanges(since: number) {
    const keys = [this.#keys.id, this.#keys.accounts];
    const answer = await scripts.changes(this.#options.redis, keys, [randomUUID(), since]);
    const [id, ...revisions] = scripts.asList(answer);
    return { id: String(id), revisions: scoresOf(revisions) };
  }

  /** Reads the cycle of an account, and the revision of each of its records by the key of the target. */
  async readAccount(account: string) {
    const { redis } = this.#options;
    const keys = this.#keys.ofAccount(account);
    const [fields, list] = await Promise.all([
      redis.hgetall(keys.cycle),
      redis.zrange(keys.revisions, 0, -1, 'WITHSCORES'),
    ]);
    return { state: cycleState(fields), revisions: scoresOf(list) };
  }

  /**
   * Reads records of an account, in parts: a connection that breaks loses one part. A text that holds no record is copied
   * to the key `damaged`, because the next poll replaces it, and an Error with the reason takes its place.
   *
   * @param revisions the keys of the records, and the revision of each, which is handed back with it
   * @throws StoreError `newer-form` when a newer version of the program wrote one of them
   */
  async *readRecords(
    account: string,
    revisions: readonly (readonly [string, number])[],
  ): AsyncGenerator<{ key: string; revision: number; record: TargetRecord | Error }> {
    const { redis } = this.#options;
    const { damaged, records } = this.#keys.ofAccount(account);
    for (let from = 0; from < revisions.length; from += recordsAtOnce) {
      const part = revisions.slice(from, from + recordsAtOnce);
      const texts = await redis.hmget(records, ...part.map(([key]) => key));
      for (const [i, [key, revision]] of part.entries()) {
        const text = texts[i] ?? '';
        const record = this.#parse(text, key, records);
        // If the copy fails, the target starts over all the same.
        if (record instanceof Error) void redis.hset(damaged, key, text).catch(() => undefined);
        yield { key, revision, record };
      }
    }
  }

  /**
   * Replaces the record of a target in a cycle. Records of one account that come within 20 ms are written together.
   *
   * @param epoch that of the running cycle
   * @param expected the revision of the record that it continues; 0 when none is stored
   * @returns its new revision; `fenced` when another cycle of the account has begun; `conflict` when Redis has another
   *   record than the expected one
   */
  async replace(record: TargetRecord, epoch: number, expected: number) {
    const { account } = record.target;
    const key = targetKey(record.target);
    let batch = this.#batches.get(account);
    if (batch?.epoch !== epoch || batch.saves.length === recordsAtOnce) {
      const saves: Save[] = [];
      const answers = this.#queue.run(account, () => this.#write(account, epoch, saves));
      batch = { epoch, saves, answers };
      this.#batches.set(account, batch);
    }
    const keptText = this.#keptTextRevision(record);
    const text = keptText === null ? formatRecord(record) : '';
    const position = batch.saves.length;
    batch.saves.push([key, expected, formatTimes(record), keptText, text]);
    const answer = (await batch.answers)[position];
    if (answer === 'fenced' || answer === 'conflict') {
      this.#texts.delete(key);
      return answer;
    }
    const revision = Number(answer);
    if (keptText === null) this.#texts.set(key, { record, textRevision: revision });
    return revision;
  }

  /**
   * Writes back what this daemon knows of an account and Redis has lost: the higher revision wins.
   *
   * @param known the cluster ID, and the last epoch that this daemon knows; 0: no cycle to restore
   * @throws Error when Redis was emptied meanwhile
   */
  async restore(
    account: string,
    known: { readonly id: string; readonly epoch: number },
    records: readonly RecordWithRevision[],
  ): Promise<void> {
    // The epoch is written back also where no record is lost.
    for (let from = 0; from === 0 || from < records.length; from += recordsAtOnce) {
      const part = records
        .slice(from, from + recordsAtOnce)
        .flatMap(({ record, revision }) => [
          targetKey(record.target),
          revision,
          `${formatTimes(record)}\n${formatRecord(record)}`,
        ]);
      const args = [known.id, known.epoch, this.#options.config.lockMs, ...part];
      const restored = await this.#run(scripts.restore, account, args);
      if (restored === 0) throw new Error('Redis was emptied again');
    }
  }

  /**
   * Parses the three lines of a record, as {@link scripts.replace} writes them: the revision of its text, the times of its
   * last poll, and its text. Most polls replace only the times, so an unchanged text is not parsed again.
   *
   * @param hash the name of the hash, for messages
   * @returns an Error, not thrown, for lines that hold no record of the target
   * @throws StoreError `newer-form`
   */
  #parse(stored: string, key: string, hash: string): TargetRecord | Error {
    const [, first, times = '', text = ''] = /^(\d+)\n(.*)\n(.*)\n$/.exec(stored) ?? [];
    try {
      const textRevision = Number(first);
      const last = this.#texts.get(key);
      const isSameText = last?.textRevision === textRevision;
      const place = `${key} of ${hash}`;
      const ofText = isSameText ? last.record : parseRecord(text, this.#options.collectors, place);
      const freshness = freshnessSchema.safeParse(parseJson(times));
      if (!freshness.success) throw new Error('not a stored record: it has no times');
      const record = { ...ofText, observed: { ...ofText.observed, freshness: freshness.data } };
      const actualKey = targetKey(record.target);
      if (actualKey !== key) throw new Error(`holds the record of another target: ${actualKey}`);
      // The times of the text tell how old its trend is.
      this.#texts.set(key, { record: ofText, textRevision });
      return record;
    } catch (error) {
      if (error instanceof StoreError) throw error;
      return error instanceof Error ? error : new Error(messageOf(error));
    }
  }

  /** Writes a batch after 20 ms, in which it takes further records. */
  async #write(account: string, epoch: number, saves: readonly Save[]) {
    await delay(batchDelayMs);
    if (this.#batches.get(account)?.saves === saves) this.#batches.delete(account);
    const args = [epoch, JSON.stringify(saves)];
    return scripts.asList(await this.#run(scripts.replace, account, args));
  }

  /**
   * The revision of the text that stays in Redis, because the record differs from it only in times, and in less than 5
   * minutes of the trend. `null` when the record needs a new text.
   */
  #keptTextRevision({ durable, observed, target }: TargetRecord): number | null {
    const last = this.#texts.get(targetKey(target));
    if (last === undefined) return null;
    const { durable: lastDurable, observed: lastObserved } = last.record;
    const isSame = lastDurable === durable && lastObserved.snapshot === observed.snapshot;
    const writtenAtMs = lastObserved.freshness.lastSuccessAtMs ?? 0;
    const ageMs = (observed.freshness.lastSuccessAtMs ?? 0) - writtenAtMs;
    return isSame && ageMs < observedPeriodMs ? last.textRevision : null;
  }

  /** Runs a script on the keys of an account and of its cluster. Its first argument is the account, then follow `args`. */
  #run(script: typeof scripts.begin, account: string, args: readonly (string | number)[]) {
    const { accounts, id } = this.#keys;
    const { cycle, damaged, records, revisions } = this.#keys.ofAccount(account);
    const keys = [id, accounts, cycle, records, revisions, damaged];
    return script(this.#options.redis, keys, [account, ...args]);
  }
}
