/** The scripts of Redis in memory. test/unit/cluster/scripts-contract.ts holds both to the same contract. */
import type {
  AccountScripts,
  BegunCycle,
  Known,
  Refusal,
  Replacement,
  StoredAccount,
  StoredText,
} from '../../src/cluster/account-scripts.ts';

interface MemoryAccount {
  id: string;
  epoch: number;
  revision: number;
  member: string;
  isRunning: boolean;
  begunAtMs: number;
  endedAtMs: number;
  dueMs: number;
  finishedDueMs: number;
  readonly records: Map<string, StoredText>;
}

const empty = () => ({
  id: '',
  epoch: 0,
  revision: 0,
  member: '',
  isRunning: false,
  begunAtMs: 0,
  endedAtMs: 0,
  dueMs: 0,
  finishedDueMs: 0,
  records: new Map<string, StoredText>(),
});

/** What the server of a model does at once. */
export class MemoryServer {
  readonly #accounts = new Map<string, MemoryAccount>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  begin(account: string, cycle: Parameters<AccountScripts['begin']>[1]): BegunCycle | null {
    const known = this.#of(account);
    const { dueMs, member, newId } = cycle;
    const { finishedDueMs, isRunning, member: formerMember } = known;
    if (dueMs > 0 && finishedDueMs >= dueMs) return null;
    const nowMs = Math.floor(this.#nowMs());
    const formerEpoch = known.epoch;
    known.epoch = Math.max(known.epoch + 1, nowMs * 1_000);
    known.id ||= newId;
    known.member = member;
    known.isRunning = true;
    known.begunAtMs = nowMs;
    known.dueMs = Math.max(known.dueMs, dueMs);
    return {
      epoch: known.epoch,
      id: known.id,
      formerEpoch,
      formerMember,
      isTakenOver: isRunning,
      idleMs: isRunning ? 0 : nowMs - known.endedAtMs,
      finishedDueMs: finishedDueMs || null,
    };
  }

  extend(account: string, epoch: number, dueMs: number): void {
    const known = this.#of(account);
    if (known.epoch === epoch) known.dueMs = Math.max(known.dueMs, dueMs);
  }

  end(account: string, epoch: number, isComplete: boolean): void {
    const known = this.#of(account);
    if (known.epoch !== epoch) return;
    known.isRunning = false;
    known.endedAtMs = Math.floor(this.#nowMs());
    if (isComplete) known.finishedDueMs = known.dueMs;
    else known.dueMs = known.finishedDueMs;
  }

  replace(account: string, { epoch, key, revision, text }: Replacement): number | Refusal {
    const known = this.#of(account);
    if (known.epoch !== epoch) return 'fenced';
    const stored = known.records.get(key);
    if ((stored?.revision ?? 0) !== revision) {
      return stored?.text === text ? stored.revision : 'found';
    }
    known.revision = Math.max(known.revision + 1, Math.floor(this.#nowMs()) * 1_000);
    known.records.set(key, { key, revision: known.revision, text });
    return known.revision;
  }

  changed(known: ReadonlyMap<string, Known>): ReadonlyMap<string, StoredAccount> {
    return new Map([...known].map(([account, each]) => [account, this.#changedOf(account, each)]));
  }

  /** The stored text of a record. */
  text(account: string, key: string): string | null {
    return this.#accounts.get(account)?.records.get(key)?.text ?? null;
  }

  /** What is stored of an account beside its records. */
  stateOf(account: string): Readonly<Omit<MemoryAccount, 'records'>> {
    return this.#of(account);
  }

  #changedOf(account: string, { id, revision }: Known): StoredAccount {
    const known = this.#accounts.get(account) ?? empty();
    const from = known.id === id && known.revision >= revision ? revision : 0;
    const changed = [...known.records.values()]
      .filter((each) => each.revision > from)
      .toSorted((a, b) => a.revision - b.revision);
    const { begunAtMs, dueMs, isRunning, member } = known;
    const own = { id: known.id, revision: known.revision };
    return { ...own, member, isRunning, begunAtMs, dueMs, changed };
  }

  #of(account: string): MemoryAccount {
    const known = this.#accounts.get(account) ?? empty();
    this.#accounts.set(account, known);
    return known;
  }
}

/** A connection to it that answers at once. */
export function memoryScripts(server: MemoryServer): AccountScripts {
  return {
    begin: (account, cycle) => Promise.resolve(server.begin(account, cycle)),
    extend: (account, epoch, dueMs) => {
      server.extend(account, epoch, dueMs);
      return Promise.resolve();
    },
    end: (account, epoch, isComplete) => {
      server.end(account, epoch, isComplete);
      return Promise.resolve();
    },
    replace: (account, replacement) => Promise.resolve(server.replace(account, replacement)),
    changed: (known) => Promise.resolve(server.changed(known)),
  };
}
