/** The verdict about everything that is watched, for page, terminal and monitoring systems. */
import { compareShares, type TargetState } from '../model/judgement.ts';
import type { LaunchRow, LaunchState } from '../model/launches/judge-region.ts';
import { launchText } from './launch-text.ts';
import { isBad, type Level, type DisplayState, type HasState } from './severity.ts';
import { counted, figure, leftText, shareText, whereOf } from './text.ts';
import { compareUrgency, type QuotaRow, type EvaluatedRecord } from './evaluated-record.ts';

/** A clause. With a time, something is so since then. */
export interface Clause {
  readonly text: string;
  /** The worst of what the text counts. */
  readonly detail?: string;
  readonly sinceMs?: number;
}

/** How many of what is watched have one of some words. */
type Counts = (...words: readonly DisplayState[]) => number;

export type Verdict = Readonly<ReturnType<typeof verdictOf>>;

/** @param silent accounts that watch quotas, and gave none */
export function verdictOf(
  all: readonly EvaluatedRecord[],
  launches: readonly LaunchRow[],
  silent: readonly string[] = [],
) {
  const rows = all.flatMap(({ gone, quotas }) => [...quotas, ...gone]);
  const quotas = countsOf(rows);
  const targets = countsOf(all.map(({ state }) => ({ state })));
  const known = rows.length - quotas('gone', 'stale', 'unknown');
  const launchClause = (word: LaunchState, what: string): Clause[] => {
    const [worst, ...others] = launches.filter((each) => each.state === word);
    const text = `${counted(others.length + 1, 'launch', 'launches')} ${what}`;
    return worst === undefined ? [] : [{ text, detail: launchText(worst) }];
  };
  const unknown: Clause[] = [
    ...staleClause(all, quotas('stale'), known > 0 || targets('up', 'incomplete') > 0),
    ...unknownTexts(all.length, targets, quotas('gone')).map((text) => ({ text })),
    ...silent.map((account) => ({
      text: `account ${account} watches quotas, and no answer had one`,
    })),
    ...launchClause('unknown', 'not known to succeed'),
  ];
  const wrong = [
    ...launchClause('critical', 'blocked'),
    ...launchClause('low', 'at risk'),
    ...badClause(quotas),
  ];
  const good = (): Clause[] => [
    { text: fineText(all.length, rows, quotas, known) },
    ...launchClause('fine', 'fine').map(({ text }) => ({ text })),
  ];
  const found = [...unknown, ...wrong];
  const isCritical =
    quotas('overdrawn', 'critical') > 0 || launches.some(({ state }) => state === 'critical');
  const rest = unknown.length > 0 ? 'unknown' : wrong.length > 0 ? 'warning' : 'fine';
  const level: Level = isCritical ? 'critical' : rest;
  const [worst] = rows.filter(isBad).toSorted(compareUrgency);
  return {
    level,
    /** What is not known comes first, then what is wrong. At least one. */
    clauses: found.length > 0 ? found : good(),
    /** The worst quota in one clause. `null` if none is low. */
    worst: worst === undefined ? null : worstText(worst),
    targets,
    quotas,
    /** Number of quotas whose present numbers are known. */
    known,
  };
}

function countsOf(all: readonly HasState[]): Counts {
  const counts = new Map<DisplayState, number>();
  for (const { state } of all) counts.set(state, (counts.get(state) ?? 0) + 1);
  return (...words) => words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0);
}

/** Without a present answer, whatever the last poll said. It is so since the newest success of a stale target. */
function staleClause(
  all: readonly EvaluatedRecord[],
  stale: number,
  isAnyKnown: boolean,
): Clause[] {
  const times = all.flatMap(({ isFresh, record }) =>
    isFresh ? [] : (record.observed.freshness.lastSuccessAtMs ?? []),
  );
  if (times.length === 0) return [];
  const count = stale > 0 ? stale : times.length;
  const whole = isAnyKnown ? ` of ${count === 1 ? 'it' : 'them'}` : '';
  const what = counted(count, stale > 0 ? 'quota' : 'target');
  const sinceMs = times.reduce((newest, each) => Math.max(newest, each));
  return [{ text: `${what} stale: nothing is known${whole}`, sinceMs }];
}

function unknownTexts(all: number, targets: Counts, gone: number): readonly string[] {
  const ofAll = (word: TargetState, what: string) =>
    targets(word) === 0 ? '' : `${figure(targets(word))} of ${counted(all, 'target')} ${what}`;
  return [
    all === 0 ? 'Nothing is watched yet' : '',
    ofAll('pending', 'not polled yet'),
    ofAll('failing', 'could not be polled'),
    ofAll('incomplete', 'answered incompletely'),
    gone === 0 ? '' : `${counted(gone, 'quota')} gone that ${gone === 1 ? 'was' : 'were'} low`,
  ].filter((text) => text !== '');
}

function badClause(quotas: Counts): Clause[] {
  const [first, ...others] = (['overdrawn', 'critical', 'low'] as const).filter(
    (word) => quotas(word) > 0,
  );
  if (first === undefined) return [];
  const rest = others.map((word) => `, ${figure(quotas(word))} ${word}`).join('');
  return [{ text: `${counted(quotas(first), 'quota')} ${first}${rest}` }];
}

/** Says so of muted quotas: they are not fine, they are not judged. */
function fineText(
  targets: number,
  rows: readonly QuotaRow[],
  quotas: Counts,
  known: number,
): string {
  const [fine, muted, unknown] = [quotas('fine'), quotas('muted'), quotas('unknown')];
  if (known === 0) return `${counted(targets, 'target')} up, no quota is watched`;
  if (fine === 0) return muted > 0 ? 'every quota is muted' : 'no quota has a limit above 0';
  const shared = rows.filter((row) => row.state === 'fine' && row.remainingShare !== null);
  const [least] = shared.toSorted(compareShares);
  const left = least === undefined ? '' : `, ${shareText(least)} or more left`;
  const mutes = muted === 0 ? '' : `; ${figure(muted)} muted`;
  const unread = unknown === 0 ? '' : `; ${figure(unknown)} without a known use`;
  return `${counted(fine, 'quota')} fine${left}${mutes}${unread}`;
}

function worstText(row: QuotaRow): string {
  const { account } = row.evaluated.record.target;
  return `${row.quota.type} in ${whereOf(row)} of ${account}: ${leftText(row)}`;
}

/** The verdict in one line without times. */
export function verdictText({ clauses, worst }: Verdict): string {
  const texts = clauses
    .map(({ detail, text }) => (detail === undefined ? text : `${text} (${detail})`))
    .join('; ');
  return worst === null ? texts : `${texts}: ${worst}`;
}
