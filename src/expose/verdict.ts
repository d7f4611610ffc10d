/** The verdict about all targets and launches, for the page's heading and every output of `check`. */
import { credentialsAdvice } from '../credentials/advice.ts';
import type { TargetState } from '../model/record.ts';
import { compareRemaining } from '../model/thresholds.ts';
import type { EvaluatedLaunch, LaunchState } from '../model/launches/judge-region.ts';
import type { Texts } from '../model/texts/texts.ts';
import { launchSummary } from './launch-text.ts';
import { isLowOrWorse, type DisplayState, type Severity } from './display-state.ts';
import { firstTexts, remainingShareText, remainingText, zoneOrRegion } from './text.ts';
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

/** What a clause says of the launches, or of the targets, that it counts. */
type LaunchSentence =
  `{count launch|launches} ${'blocked' | 'at risk' | 'fine' | 'muted' | 'not judged' | 'not known to succeed'}`;
type TargetSentence =
  `{count} of {all target|targets} ${'could not be polled' | 'not polled yet' | 'answered incompletely'}`;

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
  texts: Texts,
  accountsWithoutQuotas: readonly string[] = [],
  isAsked = false,
) {
  const { say } = texts;
  const allQuotas = all.flatMap(({ gone, quotas }) => [...quotas, ...gone]);
  const quotas = countsOf(allQuotas.map(({ state }) => state));
  const targets = countsOf(all.map(({ state }) => state));
  const knownQuotas = allQuotas.length - quotas('gone', 'stale', 'unknown');
  // Launches are sorted, the worst first.
  const inState = (state: LaunchState) => launches.filter((launch) => launch.state === state);
  const launchClause = (
    counted: readonly EvaluatedLaunch[],
    sentence: LaunchSentence,
  ): Clause[] => {
    const [worst] = counted;
    const text = say(sentence, { count: counted.length });
    const detail = worst && launchSummary(worst, texts);
    return detail === undefined ? [] : [{ text, detail, table: 'launches' }];
  };
  const notJudged = inState('unjudged');
  const unknown: Clause[] = [
    ...(isAsked ? [] : unknownClauses(all, targets, quotas('gone'), texts)),
    ...staleClause(all, quotas('stale'), knownQuotas > 0 || targets('up', 'incomplete') > 0, texts),
    ...accountsWithoutQuotas.map((account) => ({
      text: say('account {account} watches quotas, and no answer had one', { account }),
    })),
    ...launchClause(inState('unknown'), '{count launch|launches} not known to succeed'),
    ...[...new Set(notJudged.map(({ unjudged }) => unjudged))].flatMap((reason) => {
      const counted = notJudged.filter(({ unjudged }) => unjudged === reason);
      return launchClause(counted, '{count launch|launches} not judged');
    }),
  ];
  const [worst] = allQuotas.filter(({ state }) => isLowOrWorse(state)).toSorted(worstQuotaFirst);
  const isQuotaCritical = quotas('overdrawn', 'critical') > 0;
  const critical = [
    ...launchClause(inState('critical'), '{count launch|launches} blocked'),
    ...(isQuotaCritical ? lowClause(quotas, worst, texts) : []),
  ];
  const wrong = [
    ...launchClause(inState('low'), '{count launch|launches} at risk'),
    ...(isQuotaCritical ? [] : lowClause(quotas, worst, texts)),
  ];
  const fineLaunches = launchClause(inState('fine'), '{count launch|launches} fine').map(
    ({ text }) => ({ text }),
  );
  const fineClauses = (): Clause[] => {
    if (isAsked) {
      const muted = launchClause(inState('muted'), '{count launch|launches} muted');
      const known = [...fineLaunches, ...muted];
      return known.length > 0 ? known : [{ text: say('nothing to judge') }];
    }
    return [{ text: fineText(all.length, allQuotas, quotas, knownQuotas, texts) }, ...fineLaunches];
  };
  const counted = launches.filter(({ state }) => state !== 'muted');
  const leftOut = ofLaunches(
    counted.flatMap((launch) => launch.leftOut),
    texts,
  );
  const notes = [
    ...leftOut.map((what) => say('{what} is not asked for', { what })),
    ...deniedTexts(all, counted, texts),
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
function deniedTexts(
  all: readonly EvaluatedRecord[],
  launches: readonly EvaluatedLaunch[],
  texts: Texts,
) {
  const parts = launches.flatMap((launch) =>
    launch.parts.filter(({ isAsked }) => isAsked === false),
  );
  const ofParts = parts.map(({ part }) => part.operation);
  const others = all.filter(
    ({ record, state }) => state === 'denied' && !ofParts.includes(record.target.operation),
  );
  const names = parts.map(({ part }) => part.name);
  const nouns = others.map(({ collector }) => texts.word(collector.noun));
  return [...ofLaunches(names, texts), ...new Set(nouns)].map((what) =>
    texts.say('{what} not asked: no permission', { what }),
  );
}

/** Such as `quota of 2 launches`. @param names of parts, one for each launch */
function ofLaunches(names: readonly string[], { say, word }: Texts): readonly string[] {
  return [...new Set(names)].map((name) => {
    const count = names.filter((each) => each === name).length;
    return say('{name} of {count launch|launches}', { name: word(name), count });
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
  { say }: Texts,
): Clause[] {
  const times = all.flatMap(({ isFresh, record }) =>
    isFresh ? [] : (record.observed.freshness.lastSuccessAtMs ?? []),
  );
  if (times.length === 0) return [];
  const count = staleQuotas > 0 ? staleQuotas : times.length;
  const what = say(staleQuotas > 0 ? '{count quota|quotas}' : '{count target|targets}', { count });
  const ofWhich =
    count === 1 ? '{what} stale: nothing is known of it' : '{what} stale: nothing is known of them';
  const text = say(isAnyKnown ? ofWhich : '{what} stale: nothing is known', { what });
  const sinceMs = times.reduce((newest, time) => Math.max(newest, time));
  const table = staleQuotas > 0 ? 'quotas' : 'problems';
  return [{ text, sinceMs, table }];
}

function unknownClauses(
  all: readonly EvaluatedRecord[],
  targets: StateCounts,
  gone: number,
  texts: Texts,
): readonly Clause[] {
  const { say } = texts;
  const targetsClause = (
    state: TargetState,
    sentence: TargetSentence,
    cause?: string,
  ): Clause[] => {
    const text = say(sentence, { count: targets(state), all: all.length });
    const table = 'problems' as const;
    return targets(state) === 0 ? [] : [{ text, table, ...(cause && { cause }) }];
  };
  const goneText = say(
    gone === 1 ? '{count} quota gone that was low' : '{count} quotas gone that were low',
    { count: gone },
  );
  return [
    ...(all.length === 0 ? [{ text: say('Nothing is watched yet') }] : []),
    ...targetsClause(
      'failing',
      '{count} of {all target|targets} could not be polled',
      failureTexts(all, texts),
    ),
    ...targetsClause('pending', '{count} of {all target|targets} not polled yet'),
    ...targetsClause('incomplete', '{count} of {all target|targets} answered incompletely'),
    ...(gone === 0 ? [] : [{ text: goneText, table: 'quotas' } as const]),
  ];
}

/** How many reasons of failures a clause names. */
const maxFailures = 3;

/** Why targets fail, and what to do about it: each code of each account once. */
function failureTexts(all: readonly EvaluatedRecord[], texts: Texts): string {
  const failures = all.flatMap(({ record: { observed, target } }) => {
    const { failure } = observed.freshness;
    const advice = failure && credentialsAdvice(failure);
    if (failure === null) return [];
    const text = texts.say('{code} of {account}', { code: failure.code, account: target.account });
    return advice === null ? text : texts.say('{text}: {more}', { text, more: texts.word(advice) });
  });
  return firstTexts([...new Set(failures)], maxFailures, texts).join(texts.say('; '));
}

/** Such as `1 quota overdrawn, 2 critical, 3 low`. No clause if no quota is low. */
function lowClause(quotas: StateCounts, worst: EvaluatedQuota | undefined, texts: Texts): Clause[] {
  const { say } = texts;
  const [first, ...others] = (['overdrawn', 'critical', 'low'] as const).filter(
    (state) => quotas(state) > 0,
  );
  if (first === undefined || worst === undefined) return [];
  const counts = [
    say('{count quota|quotas} {state}', { count: quotas(first), state: say(first) }),
    ...others.map((state) => say('{count} {state}', { count: quotas(state), state: say(state) })),
  ];
  return [{ text: counts.join(say(', ')), worst: worstText(worst, texts), table: 'quotas' }];
}

/** Counts muted quotas apart: nothing judges them, so they are not fine. */
function fineText(
  targets: number,
  allQuotas: readonly EvaluatedQuota[],
  quotas: StateCounts,
  known: number,
  { say }: Texts,
): string {
  const [fine, muted, unknown] = [quotas('fine'), quotas('muted'), quotas('unknown')];
  if (known === 0) return say('{count target|targets} up, no quota is watched', { count: targets });
  if (fine === 0) return say(muted > 0 ? 'every quota is muted' : 'no quota has a limit above 0');
  const withShare = allQuotas.filter(
    ({ remainingShare, state }) => state === 'fine' && remainingShare !== null,
  );
  const [least] = withShare.toSorted(compareRemaining);
  const left =
    least === undefined ? '' : say(', {share} or more left', { share: remainingShareText(least) });
  const mutes = muted === 0 ? '' : say('; {count} muted', { count: muted });
  const unread = unknown === 0 ? '' : say('; {count} without a known use', { count: unknown });
  return `${say('{count quota|quotas} fine', { count: fine })}${left}${mutes}${unread}`;
}

function worstText(worst: EvaluatedQuota, texts: Texts): string {
  const { account } = worst.evaluated.record.target;
  return texts.say('{what} in {where} of {account}: {more}', {
    ...{ what: worst.quota.type, where: zoneOrRegion(worst), account },
    more: remainingText(worst, texts),
  });
}

/** The verdict in one line without times. */
export function verdictText({ clauses }: Verdict, { say }: Texts): string {
  const sentences = clauses.map(({ detail, text, worst }) => {
    const which = detail === undefined ? text : say('{text} ({more})', { text, more: detail });
    return worst === undefined ? which : say('{text}: {more}', { text: which, more: worst });
  });
  return sentences.join(say('; '));
}
