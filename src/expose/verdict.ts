/** The verdict about all targets and launches, for the page's heading and every output of `check`. */
import { credentialsAdvice } from '../credentials/advice.ts';
import type { TargetState } from '../model/record.ts';
import { compareRemaining } from '../model/thresholds.ts';
import type { EvaluatedLaunch, LaunchState } from '../model/launches/judge-region.ts';
import { launchSummary } from './launch-text.ts';
import { isLowOrWorse, type DisplayState, type Severity } from './display-state.ts';
import {
  firstTexts,
  numberText,
  numberWithNoun,
  remainingShareText,
  remainingText,
  zoneOrRegion,
} from './text.ts';
import { worstQuotaFirst, type EvaluatedQuota, type EvaluatedRecord } from './evaluation.ts';

/** A part of the verdict, such as `2 quotas critical`. */
export interface Clause {
  readonly text: string;
  /** The worst of what the text counts. */
  readonly detail?: string;
  /** The worst quota that the text counts, or why targets fail. A terminal has the latter beside the rows. */
  readonly worst?: string;
  readonly cause?: string;
  /** The ID of the table whose rows the text counts. */
  readonly table?: 'launches' | 'problems' | 'quotas';
  /** Since when the text is true, in milliseconds since the Unix epoch. */
  readonly sinceMs?: number;
}

/** The number of quotas, or of targets, that have one of some states. */
type StateCounts = (...states: readonly DisplayState[]) => number;

export type Verdict = Readonly<ReturnType<typeof verdictOf>>;

/**
 * Critical goes before unknown, because it is certain; unknown goes before a warning, because it may hide worse.
 *
 * @param accountsWithoutQuotas accounts that ask for quotas, and whose answers had none
 * @param isAsked whether a check asks about the launches: then nothing else counts
 */
export function verdictOf(
  all: readonly EvaluatedRecord[],
  launches: readonly EvaluatedLaunch[],
  accountsWithoutQuotas: readonly string[] = [],
  isAsked = false,
) {
  const allQuotas = all.flatMap(({ gone, quotas }) => [...quotas, ...gone]);
  const quotas = countsOf(allQuotas.map(({ state }) => state));
  const targets = countsOf(all.map(({ state }) => state));
  const knownQuotas = allQuotas.length - quotas('gone', 'stale', 'unknown');
  // Launches are sorted, the worst first.
  const inState = (state: LaunchState) => launches.filter((launch) => launch.state === state);
  const launchClause = (counted: readonly EvaluatedLaunch[], predicate: string): Clause[] => {
    const [worst, ...others] = counted;
    const text = `${numberWithNoun(others.length + 1, 'launch', 'launches')} ${predicate}`;
    return worst === undefined ? [] : [{ text, detail: launchSummary(worst), table: 'launches' }];
  };
  const notJudged = inState('unjudged');
  const unknown: Clause[] = [
    ...(isAsked ? [] : unknownClauses(all, targets, quotas('gone'))),
    ...staleClause(all, quotas('stale'), knownQuotas > 0 || targets('up', 'incomplete') > 0),
    ...accountsWithoutQuotas.map((account) => ({
      text: `account ${account} watches quotas, and no answer had one`,
    })),
    ...launchClause(inState('unknown'), 'not known to succeed'),
    ...[...new Set(notJudged.map(({ unjudged }) => unjudged))].flatMap((reason) => {
      const counted = notJudged.filter(({ unjudged }) => unjudged === reason);
      return launchClause(counted, 'not judged');
    }),
  ];
  const [worst] = allQuotas.filter(({ state }) => isLowOrWorse(state)).toSorted(worstQuotaFirst);
  const isQuotaCritical = quotas('overdrawn', 'critical') > 0;
  const critical = [
    ...launchClause(inState('critical'), 'blocked'),
    ...(isQuotaCritical ? lowClause(quotas, worst) : []),
  ];
  const wrong = [
    ...launchClause(inState('low'), 'at risk'),
    ...(isQuotaCritical ? [] : lowClause(quotas, worst)),
  ];
  const fineLaunches = launchClause(inState('fine'), 'fine').map(({ text }) => ({ text }));
  const fineClauses = (): Clause[] => {
    if (isAsked) {
      const known = [...fineLaunches, ...launchClause(inState('muted'), 'muted')];
      return known.length > 0 ? known : [{ text: 'nothing to judge' }];
    }
    return [{ text: fineText(all.length, allQuotas, quotas, knownQuotas) }, ...fineLaunches];
  };
  const counted = launches.filter(({ state }) => state !== 'muted');
  const leftOut = ofLaunches(counted.flatMap((launch) => launch.leftOut));
  const notes = [
    ...leftOut.map((which) => `${which} is not asked for`),
    ...deniedTexts(all, counted),
  ].map((text): Clause => ({ text }));
  const problems = [...critical, ...unknown, ...wrong];
  const rest = unknown.length > 0 ? 'unknown' : wrong.length > 0 ? 'warning' : 'fine';
  const severity: Severity = critical.length > 0 ? 'critical' : rest;
  return {
    severity,
    /**
     * At least one. What is known to be critical comes first, then what is unknown, a cause before its effect, then what is low
     * or at risk, and at the end what is not asked for.
     */
    clauses: [...(problems.length > 0 ? problems : fineClauses()), ...notes],
    targets,
    quotas,
    /** Number of quotas whose present numbers are known. */
    knownQuotas,
  };
}

/**
 * What is not asked for lack of a permission, which makes nothing unknown: parts of launches, and what else only launches
 * need.
 */
function deniedTexts(all: readonly EvaluatedRecord[], launches: readonly EvaluatedLaunch[]) {
  const parts = launches.flatMap((launch) =>
    launch.parts.filter(({ isAsked }) => isAsked === false),
  );
  const ofParts = parts.map(({ part }) => part.operation);
  const others = all.filter(
    ({ record, state }) => state === 'denied' && !ofParts.includes(record.target.operation),
  );
  const nouns = others.map(({ collector }) => collector.noun);
  return [...ofLaunches(parts.map(({ part }) => part.name)), ...new Set(nouns)].map(
    (noun) => `${noun} not asked: no permission`,
  );
}

/** Such as `quota of 2 launches`. @param names of parts, one for each launch */
function ofLaunches(names: readonly string[]): readonly string[] {
  return [...new Set(names)].map((name) => {
    const count = names.filter((each) => each === name).length;
    return `${name} of ${numberWithNoun(count, 'launch', 'launches')}`;
  });
}

function countsOf(all: readonly DisplayState[]): StateCounts {
  const counts = new Map<DisplayState, number>();
  for (const state of all) counts.set(state, (counts.get(state) ?? 0) + 1);
  return (...states) => states.reduce((sum, state) => sum + (counts.get(state) ?? 0), 0);
}

/**
 * Counts the stale quotas, or the targets without a fresh answer if none of them had a quota. The time is that of the
 * newest success among these targets. No clause if every target is fresh.
 */
function staleClause(
  all: readonly EvaluatedRecord[],
  staleQuotas: number,
  isAnyKnown: boolean,
): Clause[] {
  const times = all.flatMap(({ isFresh, record }) =>
    isFresh ? [] : (record.observed.freshness.lastSuccessAtMs ?? []),
  );
  if (times.length === 0) return [];
  const count = staleQuotas > 0 ? staleQuotas : times.length;
  const whole = isAnyKnown ? ` of ${count === 1 ? 'it' : 'them'}` : '';
  const what = numberWithNoun(count, staleQuotas > 0 ? 'quota' : 'target');
  const sinceMs = times.reduce((newest, time) => Math.max(newest, time));
  const table = staleQuotas > 0 ? 'quotas' : 'problems';
  return [{ text: `${what} stale: nothing is known${whole}`, sinceMs, table }];
}

function unknownClauses(
  all: readonly EvaluatedRecord[],
  targets: StateCounts,
  gone: number,
): readonly Clause[] {
  const targetsClause = (state: TargetState, predicate: string, cause?: string): Clause[] => {
    const text = `${numberText(targets(state))} of ${numberWithNoun(all.length, 'target')} ${predicate}`;
    const table = 'problems' as const;
    return targets(state) === 0 ? [] : [{ text, table, ...(cause && { cause }) }];
  };
  const were = gone === 1 ? 'was' : 'were';
  return [
    ...(all.length === 0 ? [{ text: 'Nothing is watched yet' }] : []),
    ...targetsClause('failing', 'could not be polled', failureTexts(all)),
    ...targetsClause('pending', 'not polled yet'),
    ...targetsClause('incomplete', 'answered incompletely'),
    ...(gone === 0
      ? []
      : [
          {
            text: `${numberWithNoun(gone, 'quota')} gone that ${were} low`,
            table: 'quotas',
          } as const,
        ]),
  ];
}

/** How many reasons of failures a clause names. */
const maxFailures = 3;

/** Why targets fail, and what to do about it: each code of each account once. */
function failureTexts(all: readonly EvaluatedRecord[]): string {
  const texts = all.flatMap(({ record: { observed, target } }) => {
    const { failure } = observed.freshness;
    const advice = failure && credentialsAdvice(failure);
    return failure === null
      ? []
      : `${failure.code} of ${target.account}${advice === null ? '' : `: ${advice}`}`;
  });
  return firstTexts([...new Set(texts)], maxFailures).join('; ');
}

/** Such as `1 quota overdrawn, 2 critical, 3 low`. No clause if no quota is low. */
function lowClause(quotas: StateCounts, worst: EvaluatedQuota | undefined): Clause[] {
  const [first, ...others] = (['overdrawn', 'critical', 'low'] as const).filter(
    (state) => quotas(state) > 0,
  );
  if (first === undefined || worst === undefined) return [];
  const rest = others.map((state) => `, ${numberText(quotas(state))} ${state}`).join('');
  return [
    {
      text: `${numberWithNoun(quotas(first), 'quota')} ${first}${rest}`,
      worst: worstText(worst),
      table: 'quotas',
    },
  ];
}

/** Counts muted quotas apart: nothing judges them, so they are not fine. */
function fineText(
  targets: number,
  allQuotas: readonly EvaluatedQuota[],
  quotas: StateCounts,
  known: number,
): string {
  const [fine, muted, unknown] = [quotas('fine'), quotas('muted'), quotas('unknown')];
  if (known === 0) return `${numberWithNoun(targets, 'target')} up, no quota is watched`;
  if (fine === 0) return muted > 0 ? 'every quota is muted' : 'no quota has a limit above 0';
  const withShare = allQuotas.filter(
    ({ remainingShare, state }) => state === 'fine' && remainingShare !== null,
  );
  const [least] = withShare.toSorted(compareRemaining);
  const left = least === undefined ? '' : `, ${remainingShareText(least)} or more left`;
  const mutes = muted === 0 ? '' : `; ${numberText(muted)} muted`;
  const unread = unknown === 0 ? '' : `; ${numberText(unknown)} without a known use`;
  return `${numberWithNoun(fine, 'quota')} fine${left}${mutes}${unread}`;
}

function worstText(worst: EvaluatedQuota): string {
  const { account } = worst.evaluated.record.target;
  return `${worst.quota.type} in ${zoneOrRegion(worst)} of ${account}: ${remainingText(worst)}`;
}

/** The verdict in one line without times. */
export function verdictText({ clauses }: Verdict): string {
  const texts = clauses.map(({ detail, text, worst }) => {
    const which = detail === undefined ? text : `${text} (${detail})`;
    return worst === undefined ? which : `${which}: ${worst}`;
  });
  return texts.join('; ');
}
