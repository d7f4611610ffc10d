/** The verdict about everything that is watched, for page, terminal and monitoring systems. */
import { figure, counted, percent } from './number-format.ts';
import { launchText, type Launches, type LaunchRow, type LaunchWord } from './launches.ts';
import { leftText, whereOf } from './quota-text.ts';
import { compareUrgency, type QuotaRow, type TargetState, type Watched } from './watched.ts';
import { compareShares, isBad, type QuotaWord } from './severity.ts';

/** `unknown`: something could not be read. A worse state may be hidden. */
export type Level = 'critical' | 'unknown' | 'warning' | 'fine';

/** A clause. With a time, something is so since then. */
export interface Clause {
  readonly text: string;
  readonly sinceMs?: number;
}

/** How many of what is watched have one of some words. */
type Counts<Word> = (...words: readonly Word[]) => number;

export interface Verdict {
  readonly level: Level;
  /** What is not known comes first, then what is wrong. At least one. */
  readonly clauses: readonly Clause[];
  /** The worst quota in one clause. `null` if none is low. */
  readonly worst: string | null;
  readonly targets: Counts<TargetState>;
  readonly quotas: Counts<QuotaWord>;
  /** Number of quotas whose present numbers are known. */
  readonly known: number;
}

/** @param silent accounts that watch quotas, and gave none */
export function verdictOf(
  all: readonly Watched[],
  { judged }: Launches,
  silent: readonly string[] = [],
): Verdict {
  const rows = all.flatMap(({ gone, quotas }) => [...quotas, ...gone]);
  const quotas = countsOf(rows.map(({ word }) => word));
  const targets = countsOf(all.map(({ state }) => state));
  const known = rows.length - quotas('gone', 'stale', 'unknown');
  const counts = { targets, quotas, known };
  const launches = (word: LaunchWord) => judged.filter((each) => each.word === word);
  const unknown = [
    ...unknownClauses(all, counts),
    ...silent.map((account) => ({
      text: `account ${account} watches quotas, and no answer had one`,
    })),
    ...launchClause(launches('unknown'), 'not known to succeed'),
  ];
  const wrong = [
    ...launchClause(launches('critical'), 'blocked'),
    ...launchClause(launches('low'), 'at risk'),
    ...badClause(quotas),
  ];
  const fine = launches('fine').length;
  const clauses = [...unknown, ...wrong];
  if (clauses.length === 0) {
    clauses.push({ text: fineText(all, rows, counts) });
    if (fine > 0) clauses.push({ text: `${launchCount(fine)} fine` });
  }
  const [worst] = rows.filter(isBad).toSorted(compareUrgency);
  const isCritical = quotas('critical', 'overdrawn') + launches('critical').length > 0;
  return {
    // What is unknown comes before a warning, because it may hide a critical quota.
    level: isCritical
      ? 'critical'
      : unknown.length > 0
        ? 'unknown'
        : wrong.length > 0
          ? 'warning'
          : 'fine',
    clauses,
    worst: worst === undefined ? null : worstText(worst),
    ...counts,
  };
}

function countsOf<Word>(all: readonly Word[]): Counts<Word> {
  const counts = new Map<Word, number>();
  for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (...words) => words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0);
}

type AllCounts = Pick<Verdict, 'targets' | 'quotas' | 'known'>;

function unknownClauses(all: readonly Watched[], { known, quotas, targets }: AllCounts): Clause[] {
  const of = (count: number) => `${figure(count)} of ${counted(all.length, 'target')}`;
  const [failing, incomplete, pending] = [
    targets('failing'),
    targets('incomplete'),
    targets('pending'),
  ];
  const gone = quotas('gone');
  const texts = [
    all.length === 0 && 'Nothing is watched yet',
    pending > 0 && `${of(pending)} not polled yet`,
    failing > 0 && `${of(failing)} could not be polled`,
    incomplete > 0 && `${of(incomplete)} answered incompletely`,
    gone > 0 && `${counted(gone, 'quota')} gone that ${gone === 1 ? 'was' : 'were'} low`,
  ];
  return [
    ...staleClause(all, { known, quotas, targets }),
    ...texts.flatMap((text) => (text === false ? [] : { text })),
  ];
}

/** Without a present answer, whatever the last poll said. It is so since the newest success of a stale target. */
function staleClause(all: readonly Watched[], { known, quotas, targets }: AllCounts): Clause[] {
  const times = all.flatMap(({ isFresh, record }) =>
    isFresh ? [] : (record.seen.freshness.lastSuccessAtMs ?? []),
  );
  if (times.length === 0) return [];
  const stale = quotas('stale');
  const count = stale > 0 ? stale : times.length;
  const isAnyKnown = known > 0 || targets('up', 'incomplete') > 0;
  const whole = isAnyKnown ? ` of ${count === 1 ? 'it' : 'them'}` : '';
  const what = counted(count, stale > 0 ? 'quota' : 'target');
  const sinceMs = times.reduce((newest, each) => Math.max(newest, each));
  return [{ text: `${what} stale: nothing is known${whole}`, sinceMs }];
}

function badClause(quotas: Counts<QuotaWord>): Clause[] {
  const bad = (['overdrawn', 'critical', 'low'] as const).filter((word) => quotas(word) > 0);
  const texts = bad.map((word, i) =>
    i === 0 ? `${counted(quotas(word), 'quota')} ${word}` : `${figure(quotas(word))} ${word}`,
  );
  return texts.length === 0 ? [] : [{ text: texts.join(', ') }];
}

/** Says so of muted quotas: they are not fine, they are not judged. */
function fineText(
  all: readonly Watched[],
  rows: readonly QuotaRow[],
  { known, quotas }: AllCounts,
): string {
  const [fine, muted, unknown] = [quotas('fine'), quotas('muted'), quotas('unknown')];
  if (known === 0) return `${counted(all.length, 'target')} up, no quota is watched`;
  if (fine === 0) return muted > 0 ? 'every quota is muted' : 'no quota has a limit above 0';
  const shared = rows.filter((row) => row.word === 'fine' && row.remainingShare !== null);
  const quota = shared.toSorted(compareShares)[0]?.quota;
  const least =
    quota === undefined ? '' : `, ${percent(quota.remaining ?? 0, quota.limit)} or more left`;
  const mutes = muted === 0 ? '' : `; ${figure(muted)} muted`;
  const unread = unknown === 0 ? '' : `; ${figure(unknown)} without a known use`;
  return `${counted(fine, 'quota')} fine${least}${mutes}${unread}`;
}

function launchCount(count: number): string {
  return count === 1 ? '1 launch' : `${figure(count)} launches`;
}

/** Names the worst one. */
function launchClause([worst, ...others]: readonly LaunchRow[], what: string): Clause[] {
  if (worst === undefined) return [];
  return [{ text: `${launchCount(others.length + 1)} ${what} (${launchText(worst)})` }];
}

function worstText(row: QuotaRow): string {
  const { account } = row.watched.record.target;
  return `${row.quota.type} in ${whereOf(row)} of ${account}: ${leftText(row)}`;
}

/** The verdict in one line without times. */
export function verdictText({ clauses, worst }: Pick<Verdict, 'clauses' | 'worst'>): string {
  const texts = clauses.map(({ text }) => text);
  return worst === null ? texts.join('; ') : `${texts.join('; ')}: ${worst}`;
}
