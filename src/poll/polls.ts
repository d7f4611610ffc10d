/**
 * Polls targets. The targets that the answers of another target found follow it. They need no request if these
 * answers show that they are unchanged.
 */
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import type { AccountTurn } from './shared-cycles.ts';
import { accountsInTurn } from './accounts-in-turn.ts';
import { pollTarget, type TargetPollTools } from './poll-target.ts';
import type { Watched, WatchList } from './watch-list.ts';

export interface PollsOptions extends TargetPollTools {
  /** Called with the record of each poll. May update the plan. Must not reject. */
  readonly onPolled: (record: TargetRecord) => Promise<void>;
  /** The permission to poll an account, where several daemons share the accounts. */
  readonly turnOf: (account: string) => AccountTurn | undefined;
}

export class Polls {
  readonly #options: PollsOptions;
  readonly #list: WatchList;
  /** The targets with a poll in flight, also those that were removed. */
  readonly #running = new Set<Watched>();
  #isStopped = false;

  constructor(list: WatchList, options: PollsOptions) {
    this.#list = list;
    this.#options = options;
  }

  /** Aborts the polls in flight, and resolves when none runs. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#list.end();
    await Promise.all([...this.#running].flatMap(({ polling }) => polling ?? []));
  }

  /** Polls targets, and joins those of their polls that are in flight. */
  async all(targets: readonly Watched[], deadlineMs: number): Promise<void> {
    const inTurn = accountsInTurn(targets, ({ target }) => target.account);
    await Promise.all(inTurn.map((each) => this.one(each, deadlineMs)));
  }

  /** Polls a target, then those that its answers found. */
  async one(watched: Watched, deadlineMs: number): Promise<void> {
    const hasEnded = await this.#join(watched, deadlineMs);
    const key = targetKey(watched.target);
    const found = this.#list.plan.found.get(key);
    const record = this.#options.published.get(key);
    if (!hasEnded || found === undefined || record === undefined) return;
    await Promise.all(found.map((target) => this.#follow(target, record, deadlineMs)));
  }

  /**
   * Polls a target after the poll that finds it, if necessary. If not, and this poll succeeded, the snapshot of
   * the target is as fresh as that poll.
   */
  async #follow(target: Target, finder: TargetRecord, deadlineMs: number): Promise<void> {
    const watched = this.#list.get(target);
    if (watched === undefined || this.#isStopped) return;
    if (watched.polling !== null || this.#list.needsPoll(watched)) {
      await this.#join(watched, deadlineMs);
      return;
    }
    const { failure, lastSuccessAtMs } = finder.seen.freshness;
    if (failure === null) {
      await this.#options.keep(target, (before) => ({
        record: {
          ...before,
          seen: { ...before.seen, freshness: { ...before.seen.freshness, lastSuccessAtMs } },
        },
        changes: [],
      }));
    }
    watched.isAttempted = true;
  }

  /** Joins the poll in flight, if there is one. */
  #join(watched: Watched, deadlineMs: number): Promise<boolean> {
    this.#running.add(watched);
    watched.polling ??= this.#poll(watched, deadlineMs);
    return watched.polling;
  }

  async #poll(watched: Watched, deadlineMs: number): Promise<boolean> {
    const { ending, target } = watched;
    const turn = this.#options.turnOf(target.account);
    const isGone = () => !this.#list.has(watched);
    const { trendStepMs } = this.#list.plan;
    const signal = turn ? AbortSignal.any([ending.signal, turn.signal]) : ending.signal;
    const beforeSend = turn?.beforeSend;
    const context = { signal, beforeSend, deadlineMs, isGone, trendStepMs };
    try {
      const record = await pollTarget(target, context, this.#options);
      if (record === null) return false;
      await this.#options.onPolled(record);
      watched.isAttempted = true;
      return true;
    } finally {
      watched.polling = null;
      this.#running.delete(watched);
    }
  }
}
