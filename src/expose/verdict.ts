/** The verdict about everything that is watched, for page, terminal and monitoring systems. */
import { figure, counted, percent } from './number-format.ts';
import { launchText, type Launches, type LaunchRow, type LaunchWord } from './launches.ts';
import { leftText, whereOf } from './quota-text.ts';
import { compareUrgency, type QuotaRow, type TargetState, type Watched } from './watched.ts';
import { isBad, type QuotaWord } from './severity.ts';

/** `unknown`: something could not be read. A worse state may be hidden. */
export type Level = 'critical' | 'unknown' | 'warning' | 'fine';

/** A clause. With a time, something is so since then. */
export interface Clause {
  readonly text: string;
  readonly sinceMs: number | null;
}

export interface Verdict {
  readonly level: Level;
  /** What is not known comes first, then what is wrong. At least one. */
  readonly clauses: readonly Clause[];
  /** The worst quota in one clause. `null` if none is low. */
  readonly worst: string | null;
}

/** Counts of what is watched. It is built in steps, so that a page of many records does not block the process. */
export class Tally {
  readonly targets: Record<TargetState, number> = {
    up: 0,
    incomplete: 0,
    failing: 0,
    stale: 0,
    pending: 0,
  };
  readonly quotas: Readonly<Record<QuotaWord, number>>;
  /** The targets without a present answer, whatever their last poll said. */
  #staleTargets = 0;
  /** The newest success of a stale target. */
  #knownUntilMs: number | null = null;
  #worst: QuotaRow | null = null;
  #leastShare: QuotaRow | null = null;
  #launches: readonly LaunchRow[] = [];
  readonly #quotas: Record<QuotaWord, number>;

  constructor() {
    this.#quotas = emptyCounts();
    this.quotas = this.#quotas;
  }

  add({ gone, isFresh, quotas, record, state }: Watched): void {
    const { lastSuccessAtMs } = record.seen.freshness;
    this.targets[state] += 1;
    if (!isFresh && lastSuccessAtMs !== null) {
      this.#staleTargets += 1;
      this.#knownUntilMs = Math.max(this.#knownUntilMs ?? 0, lastSuccessAtMs);
    }
    for (const row of [...quotas, ...gone]) this.#count(row);
  }

  /** @param judged the worst first */
  addLaunches({ judged }: Launches): void {
    this.#launches = judged;
  }

  #count(row: QuotaRow): void {
    this.#quotas[row.word] += 1;
    if (isBad(row) && (this.#worst === null || compareUrgency(row, this.#worst) < 0)) {
      this.#worst = row;
    }
    if (row.word !== 'fine' || row.remainingShare === null) return;
    if (row.remainingShare < (this.#leastShare?.remainingShare ?? Infinity)) this.#leastShare = row;
  }

  /** Number of quotas whose present numbers are known. */
  get known(): number {
    const { gone, stale, unknown } = this.quotas;
    return sum(this.quotas) - gone - stale - unknown;
  }

  get allTargets(): number {
    return sum(this.targets);
  }

  /** @param silent accounts that watch quotas, and gave none */
  verdict(silent: readonly string[] = []): Verdict {
    const { critical, low, overdrawn } = this.quotas;
    const launchesOf = (word: LaunchWord) => this.#launches.filter((each) => each.word === word);
    const [blocked, risky, unread] = [
      launchesOf('critical'),
      launchesOf('low'),
      launchesOf('unknown'),
    ];
    const unknown = [
      ...this.#unknownClauses(silent),
      ...launchClause(unread, 'not known to succeed'),
    ];
    const level = levelOf({
      critical: critical + overdrawn + blocked.length,
      low: low + risky.length,
      unknown: unknown.length,
    });
    const clauses = [
      ...unknown,
      ...launchClause(blocked, 'blocked'),
      ...launchClause(risky, 'at risk'),
      ...this.#badClause(),
    ];
    return {
      level,
      clauses: clauses.length > 0 ? clauses : this.#fineClauses(launchesOf('fine').length),
      worst: this.#worst && worstText(this.#worst),
    };
  }

  #unknownClauses(silent: readonly string[]): Clause[] {
    const { failing, incomplete, pending } = this.targets;
    const { gone, stale } = this.quotas;
    const all = this.allTargets;
    const of = (count: number) => `${figure(count)} of ${counted(all, 'target')}`;
    const isAnyKnown = this.known > 0 || this.targets.up + incomplete > 0;
    const count = stale > 0 ? stale : this.#staleTargets;
    const what = `${counted(count, stale > 0 ? 'quota' : 'target')} stale`;
    const whole = isAnyKnown ? ` of ${count === 1 ? 'it' : 'them'}` : '';
    const texts = [
      all === 0 && 'Nothing is watched yet',
      pending > 0 && `${of(pending)} not polled yet`,
      failing > 0 && `${of(failing)} could not be polled`,
      incomplete > 0 && `${of(incomplete)} answered incompletely`,
      gone > 0 && `${counted(gone, 'quota')} gone that ${gone === 1 ? 'was' : 'were'} low`,
      ...silent.map((account) => `account ${account} watches quotas, and no answer had one`),
    ].filter((text) => text !== false);
    return [
      ...(this.#staleTargets === 0
        ? []
        : [{ text: `${what}: nothing is known${whole}`, sinceMs: this.#knownUntilMs }]),
      ...texts.map((text) => ({ text, sinceMs: null })),
    ];
  }

  #badClause(): Clause[] {
    const { critical, low, overdrawn } = this.quotas;
    const named = Object.entries({ overdrawn, critical, low }).filter(([, count]) => count > 0);
    const [worst, ...others] = named;
    if (worst === undefined) return [];
    const [word, count] = worst;
    const rest = others.map(([each, more]) => `, ${figure(more)} ${each}`).join('');
    return [{ text: `${counted(count, 'quota')} ${word}${rest}`, sinceMs: null }];
  }

  #fineClauses(launches: number): Clause[] {
    const texts = [this.#fineText(), ...(launches === 0 ? [] : [`${launchCount(launches)} fine`])];
    return texts.map((text) => ({ text, sinceMs: null }));
  }

  /** Says so of muted quotas: they are not fine, they are not judged. */
  #fineText(): string {
    const { fine, muted, unknown } = this.quotas;
    if (this.known === 0) return `${counted(this.allTargets, 'target')} up, no quota is watched`;
    if (fine === 0) return muted > 0 ? 'every quota is muted' : 'no quota has a limit above 0';
    const quota = this.#leastShare?.quota;
    const least =
      quota === undefined ? '' : `, ${percent(quota.remaining ?? 0, quota.limit)} or more left`;
    const mutes = muted === 0 ? '' : `; ${figure(muted)} muted`;
    const unread = unknown === 0 ? '' : `; ${figure(unknown)} without a known use`;
    return `${counted(fine, 'quota')} fine${least}${mutes}${unread}`;
  }
}

function launchCount(count: number): string {
  return count === 1 ? '1 launch' : `${figure(count)} launches`;
}

/** Names the worst one. */
function launchClause([worst, ...others]: readonly LaunchRow[], what: string): Clause[] {
  if (worst === undefined) return [];
  return [
    { text: `${launchCount(others.length + 1)} ${what} (${launchText(worst)})`, sinceMs: null },
  ];
}

function emptyCounts(): Record<QuotaWord, number> {
  return {
    overdrawn: 0,
    critical: 0,
    low: 0,
    gone: 0,
    stale: 0,
    unknown: 0,
    fine: 0,
    muted: 0,
    none: 0,
  };
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}

/** What is unknown comes before a warning, because it may hide a critical quota. */
function levelOf(counts: { critical: number; unknown: number; low: number }): Level {
  if (counts.critical > 0) return 'critical';
  if (counts.unknown > 0) return 'unknown';
  return counts.low > 0 ? 'warning' : 'fine';
}

function worstText(row: QuotaRow): string {
  const { account } = row.watched.record.target;
  return `${row.quota.type} in ${whereOf(row)} of ${account}: ${leftText(row)}`;
}

/** The verdict in one line without times. */
export function verdictText({ clauses, worst }: Verdict): string {
  const texts = clauses.map(({ text }) => text);
  return worst === null ? texts.join('; ') : `${texts.join('; ')}: ${worst}`;
}
