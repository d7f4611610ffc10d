/** Keeps records in Redis. Only the daemon that runs the cycle of an account can replace its records. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { ClusterConfig } from '../config/config.ts';
import { KeyedQueue } from '../model/keyed-queue.ts';
import { messageOf } from '../model/errors.ts';
import { parseJson } from '../model/json.ts';
import { freshnessSchema as freshnessSchema, type TargetRecord } from '../model/record.ts';
import { targetKey } from '../model/target.ts';
import { formatRecord, NewerFormError, parseRecord } from '../storage/record-file.ts';
import { observedPeriodMs } from '../storage/record-keeper.ts';
import { newerFormError } from '../storage/store.ts';
import { accountKeys, clusterKeys } from './keys.ts';
import * as scripts from './scripts.ts';

export interface RedisStoreOptions {
  /** Fails a command at once while it has no connection. */
  readonly redis: Redis;
  readonly config: Pick<ClusterConfig, 'name' | 'lockMs'>;
  readonly collectors: CollectorSet;
}

/** A cycle that this daemon began. */
export interface BegunCycle {
  readonly epoch: number;
  /** The daemon of the cycle before, if it had not ended that one; else empty. */
  readonly takenFrom: string;
  /** The time until the requests of the cycle before no longer count. */
  readonly waitMs: number;
}

/** The cycle of an account, as Redis has it. Times are milliseconds since the Unix epoch. */
export interface CycleState {
  /** The daemon of the last cycle; empty before the first one. */
  readonly member: string;
  readonly isRunning: boolean;
  /** The due time of the last complete cycle; 0 before the first one. */
  readonly finishedDueMs: number;
  readonly epoch: number;
}

/** From the fields of its hash; without them, the one before the first cycle. */
export function cycleState(fields: readonly (string | null)[]): CycleState {
  const [member, running, finished, epoch] = fields;
  return {
    member: member ?? '',
    isRunning: running === '1',
    finishedDueMs: Number(finished ?? 0),
    epoch: Number(epoch ?? 0),
  };
}

/** A record that this daemon knows, and the revision that Redis gave it. */
export interface KnownRecord {
  readonly record: TargetRecord;
  readonly revision: number;
}

/** An answer or a question with this many records passes in time over a slow line too. */
const textsAtOnce = 25;

/** How long a write waits for further records of its account: its polls end one soon after the other. */
const gatherMs = 20;

/** Records of an account that a cycle writes together, and the answer to each. */
interface Batch {
  readonly epoch: number;
  /** As the script takes them. */
  readonly saves: unknown[];
  readonly answers: Promise<readonly unknown[]>;
}

/** With the counters of polls, which readers leave out: each daemon has its own. */
const formatTimes = ({ observed }: TargetRecord) => JSON.stringify(observed.freshness);

export class RedisStore {
  readonly #options: RedisStoreOptions;
  readonly #keys: ReturnType<typeof clusterKeys>;
  /** The writes of each account. */
  readonly #queue = new KeyedQueue();
  /** The next write of each account. */
  readonly #batches = new Map<string, Batch>();
  /** The last text of each record that this daemon has written or read, with the revision of that. */
  readonly #texts = new Map<string, KnownRecord>();

  constructor(options: RedisStoreOptions) {
    this.#options = options;
    this.#keys = clusterKeys(options.config.name);
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
    { dueMs, id, member }: { readonly dueMs: number; readonly id: string; readonly member: string },
  ): Promise<BegunCycle | 'other' | 'finished'> {
    const { config, redis } = this.#options;
    const keys = [this.#keys.accounts, this.#keysOf(account).cycle, this.#keys.id];
    const answer = await scripts.begin(redis, keys, [account, member, dueMs, id, config.lockMs]);
    if (answer === 'other' || answer === 'finished') return answer;
    const [epoch, takenFrom, waitMs] = scripts.listOf(answer);
    return { epoch: Number(epoch), takenFrom: String(takenFrom), waitMs: Number(waitMs) };
  }

  /**
   * Ends the cycle of an account, if no other one has begun.
   *
   * @param finishedDueMs the due time whose cycle is not begun again; 0 when there is none
   * @param gone the keys of targets whose records are removed
   */
  async end(
    account: string,
    epoch: number,
    finishedDueMs: number,
    gone: readonly string[] = [],
  ): Promise<void> {
    const keys = [this.#keys.accounts, ...Object.values(this.#keysOf(account))];
    await scripts.end(this.#options.redis, keys, [account, epoch, finishedDueMs, ...gone]);
    for (const key of gone) this.#texts.delete(key);
  }

  /**
   * What changed in the cluster since a revision, that one included.
   *
   * @returns its ID, and the revision of each account, the highest last
   */
  async changed(since: number): Promise<{ id: string; revisions: Map<string, number> }> {
    const revisions = new Map<string, number>();
    for (let from = since; ;) {
      const keys = [this.#keys.id, this.#keys.accounts];
      const answer = await scripts.changed(this.#options.redis, keys, [randomUUID(), from]);
      const [id, ...rest] = scripts.listOf(answer);
      for (let i = 0; i < rest.length; i += 2) {
        from = Number(rest[i + 1]);
        revisions.set(String(rest[i]), from);
      }
      if (rest.length < 2 * scripts.changedAtOnce) return { id: String(id), revisions };
    }
  }

  /** The cycle of an account, and the revisions of its records. */
  async read(account: string): Promise<{ state: CycleState; revisions: Map<string, number> }> {
    const { redis } = this.#options;
    const keys = this.#keysOf(account);
    const [cycle, list] = await Promise.all([
      redis.hmget(keys.cycle, 'member', 'running', 'finished', 'epoch'),
      redis.zrange(keys.revisions, 0, -1, 'WITHSCORES'),
    ]);
    const revisions = new Map<string, number>();
    for (let i = 0; i < list.length; i += 2) revisions.set(list[i] ?? '', Number(list[i + 1]));
    return { state: cycleState(cycle), revisions };
  }

  /**
   * Records with their revisions, in parts: a line that breaks loses one of them. A text that holds no record is kept
   * apart, because the next poll replaces it, and the reason is given instead.
   *
   * @throws StoreError `newer-form` when a newer version of the program wrote one of them
   */
  async *records(
    account: string,
    revisions: readonly (readonly [string, number])[],
  ): AsyncGenerator<{ key: string; revision: number; record: TargetRecord | Error }> {
    const { redis } = this.#options;
    const { damaged, records } = this.#keysOf(account);
    for (let from = 0; from < revisions.length; from += textsAtOnce) {
      const part = revisions.slice(from, from + textsAtOnce);
      const texts = await redis.hmget(records, ...part.map(([key]) => key));
      for (const [i, [key, revision]] of part.entries()) {
        const text = texts[i] ?? '';
        const record = this.#recordOf(key, text);
        if (record instanceof NewerFormError) {
          throw newerFormError(`${key} of ${records}`, record.form, 'another cluster.name');
        }
        // Without the copy, the record starts over all the same.
        if (record instanceof Error) void redis.hset(damaged, key, text).catch(() => undefined);
        yield { key, revision, record };
      }
    }
  }

  /**
   * Replaces the record of a target in a cycle. Records that wait for others of their account are written together.
   *
   * @param epoch the one of the cycle
   * @param expected the revision of the record that it continues; 0 when none is stored
   * @returns its revision
   */
  async replace(
    record: TargetRecord,
    epoch: number,
    expected: number,
  ): Promise<number | 'fenced' | 'found'> {
    const { account } = record.target;
    const key = targetKey(record.target);
    let batch = this.#batches.get(account);
    if (batch?.epoch !== epoch || batch.saves.length === textsAtOnce) {
      const saves: Batch['saves'] = [];
      const answers = this.#queue.run(account, () => this.#write(account, epoch, saves));
      batch = { epoch, saves, answers };
      this.#batches.set(account, batch);
    }
    const kept = this.#keptText(record);
    const text = kept === null ? formatRecord(record) : '';
    const i = batch.saves.push([key, expected, formatTimes(record), kept, text]) - 1;
    const answer = (await batch.answers)[i];
    if (answer === 'fenced' || answer === 'found') {
      this.#texts.delete(key);
      return answer;
    }
    const revision = Number(answer);
    if (kept === null) this.#texts.set(key, { record, revision });
    return revision;
  }

  /**
   * Writes back what this daemon knows of an account and Redis has lost: the higher revision wins.
   *
   * @param known the cluster, and the last epoch that is known
   * @throws Error when Redis was emptied meanwhile
   */
  async restore(
    account: string,
    known: { readonly id: string; readonly epoch: number },
    records: readonly KnownRecord[],
  ): Promise<void> {
    const { config, redis } = this.#options;
    const { cycle, records: texts, revisions } = this.#keysOf(account);
    const keys = [this.#keys.accounts, cycle, texts, revisions, this.#keys.id];
    // The epoch is written back also where no record is lost.
    for (let from = 0; from === 0 || from < records.length; from += textsAtOnce) {
      const part = records
        .slice(from, from + textsAtOnce)
        .flatMap(({ record, revision }) => [
          targetKey(record.target),
          revision,
          `${formatTimes(record)}\n${formatRecord(record)}`,
        ]);
      const args = [account, known.id, known.epoch, config.lockMs, ...part];
      if ((await scripts.restore(redis, keys, args)) === 0) {
        throw new Error('Redis was emptied again');
      }
    }
  }

  /** Most polls replace only the times: a text that is known is not read again. */
  #recordOf(key: string, stored: string): TargetRecord | Error {
    const [, written, times = '', text = ''] = /^(\d+)\n(.*)\n(.*)\n$/.exec(stored) ?? [];
    try {
      const revision = Number(written);
      const known = this.#texts.get(key);
      const isKnown = known?.revision === revision;
      const of = isKnown ? known.record : parseRecord(text, this.#options.collectors);
      const freshness = freshnessSchema.safeParse(parseJson(times));
      if (!freshness.success) throw new Error('not a stored record: it has no times');
      const record = { ...of, observed: { ...of.observed, freshness: freshness.data } };
      if (targetKey(record.target) === key) {
        // With the times of the text, which tell how old its trend is.
        this.#texts.set(key, { record: of, revision });
        return record;
      }
      return new Error(`holds the record of another target: ${targetKey(record.target)}`);
    } catch (error) {
      return error instanceof Error ? error : new Error(messageOf(error));
    }
  }

  async #write(account: string, epoch: number, saves: Batch['saves']) {
    await delay(gatherMs);
    if (this.#batches.get(account)?.saves === saves) this.#batches.delete(account);
    const { cycle, records, revisions } = this.#keysOf(account);
    const keys = [this.#keys.accounts, cycle, records, revisions];
    const args = [account, epoch, JSON.stringify(saves)];
    return scripts.listOf(await scripts.replace(this.#options.redis, keys, args));
  }

  /** The revision of the text that Redis keeps: the poll changed nothing but times, and the trend for some minutes. */
  #keptText({ durable, observed, target }: TargetRecord): number | null {
    const { record, revision = null } = this.#texts.get(targetKey(target)) ?? {};
    const isSame = record?.durable === durable && record.observed.snapshot === observed.snapshot;
    const writtenAtMs = Number(record?.observed.freshness.lastSuccessAtMs);
    const ageMs = Number(observed.freshness.lastSuccessAtMs) - writtenAtMs;
    return isSame && ageMs < observedPeriodMs ? revision : null;
  }

  #keysOf(account: string) {
    return accountKeys(this.#options.config.name, account);
  }
}
