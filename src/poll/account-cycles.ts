/** The cycles of accounts that this daemon runs, where several daemons share the accounts. */
import type { Clock } from '../model/clock.ts';
import type { CycleCounts } from './cycle-counts.ts';
import { deadlineMs } from './poll-plan.ts';
import type { Polls } from './polls.ts';
import type { AccountTurn, SharedCycles } from './shared-cycles.ts';
import type { Watched, WatchList } from './watch-list.ts';

/** The cycle of one account. */
interface AccountCycle extends AccountTurn {
  /** A discovery, a reload, or a due time during the cycle adds polls. None of them rejects. */
  readonly polls: Promise<Ended>[];
}

/** How the polls of targets ended: with an error only because of a mistake of this program. */
type Ended = { readonly ok: true } | { readonly ok: false; readonly error: unknown };

export interface AccountCyclesOptions {
  readonly list: WatchList;
  readonly polls: Polls;
  readonly counts: CycleCounts;
  readonly clock: Clock;
}

export class AccountCycles {
  readonly #options: AccountCyclesOptions;
  readonly #running = new Map<string, AccountCycle>();

  constructor(options: AccountCyclesOptions) {
    this.#options = options;
  }

  /** The permission to poll an account whose cycle runs here. */
  turnOf(account: string): AccountTurn | undefined {
    return this.#running.get(account);
  }

  /**
   * Polls the targets of an account once. Ends early when its turn ends.
   * Rejects when a poll does: the account then can have another cycle.
   *
   * @param onlyNew leaves out the targets that were polled before
   * @param missed how many cycles of the account did not run before this one
   */
  async run(
    account: string,
    turn: AccountTurn,
    { missed, onlyNew }: { readonly missed: number; readonly onlyNew: boolean },
  ): Promise<void> {
    const { clock, counts, list, polls } = this.#options;
    const startedMs = clock.now();
    if (missed > 0) counts.missed(missed);
    const due = list.dueOf(account).filter((each) => !onlyNew || !list.wasAttempted(each));
    const cycle: AccountCycle = { ...turn, polls: [] };
    this.#running.set(account, cycle);
    try {
      addPolls(cycle, polls.all(due, deadlineMs(list.plan, startedMs)));
      for (const each of cycle.polls) {
        const ended = await each;
        if (!ended.ok) throw ended.error;
      }
    } finally {
      this.#running.delete(account);
    }
    if (!turn.signal.aborted && !onlyNew) counts.ended(startedMs);
  }

  /** A cycle is due while the one before runs. The daemon that runs this one polls the targets that it finished. */
  extend(shared: SharedCycles): void {
    const { clock, counts, list, polls } = this.#options;
    for (const [account, cycle] of this.#running) {
      counts.overlapped();
      shared.extended(account);
      const idle = list.dueOf(account).filter(({ polling }) => polling === null);
      addPolls(cycle, polls.all(idle, deadlineMs(list.plan, clock.now())));
    }
  }

  /** Polls a target in the running cycle of its account. Returns `false` when this daemon does not run it. */
  add(watched: Watched): boolean {
    const { clock, list, polls } = this.#options;
    const cycle = this.#running.get(watched.target.account);
    if (cycle === undefined) return false;
    addPolls(cycle, polls.one(watched, deadlineMs(list.plan, clock.now())));
    return true;
  }
}

/** The cycle may wait for other polls when these reject: nothing else would handle their error. */
function addPolls({ polls }: AccountCycle, polling: Promise<void>): void {
  polls.push(
    polling.then(
      () => ({ ok: true }),
      (error: unknown) => ({ ok: false, error }),
    ),
  );
}
