/**
 * The verdict about all targets and launches: a severity, and clauses with counts, such as `2 quotas critical`. The heading of
 * the page and every output of `check` (`check-report.ts`) have it.
 */
import { credentialsAdvice } from '../credentials/advice.ts';
import { compareRemaining } from '../model/thresholds.ts';
import type { EvaluatedLaunch } from '../model/launches/judge-region.ts';
import type { Texts } from '../model/texts/texts.ts';
import { launchSummary } from './launch-text.ts';
import { isLowOrWorse, severityOf, type DisplayState, type Severity } from './display-state.ts';
import { firstTexts, remainingShareText, remainingText, zoneOrRegion } from './text.ts';
import { worstQuotaFirst, type EvaluatedQuota, type EvaluatedRecord } from './evaluation.ts';

/** A part of the verdict, such as `2 quotas critical`. */
export interface Clause {
  readonly text: string;
  /** Of launches the worst that the text counts; of fine quotas the least share that is left. */
  readonly detail?: string | undefined;
  /** The worst quota that the text counts. */
  readonly worst?: string;
  /** Why targets fail. Only for the page: a terminal has it beside the rows. */
  readonly cause?: string | undefined;
  /** The ID of the table whose rows the text counts. */
  readonly table?: 'launches' | 'problems' | 'quotas';
  /** Since when the text is true, in milliseconds since the Unix epoch. */
  readonly sinceMs?: number | undefined;
}

/** What a clause says of the launches that it counts, by their state. */
const launchSentences = {
  critical: '{count launch|launches} blocked',
  low: '{count launch|launches} at risk',
  unknown: '{count launch|launches} not known to succeed',
  unjudged: '{count launch|launches} not judged',
  fine: '{count launch|launches} fine',
  muted: '{count launch|launches} muted',
} as const;
/** What a clause says of the targets that it counts, by their state. `all` is the number of all targets. */
const targetSentences = {
  failing: '{count} of {all target|targets} could not be polled',
  pending: '{count} of {all target|targets} not polled yet',
  incomplete: '{count} of {all target|targets} answered incompletely',
  stale: '{count} of {all target|targets} stale',
} as const;

/** Counts the quotas, or the targets, that have one of the given states. */
type StateCounts = (...states: readonly DisplayState[]) => number;

export type Verdict = Readonly<ReturnType<typeof verdictOf>>;

/**
 * Judges all targets, quotas and launches together. Critical goes before unknown, because it is certain; unknown goes before a
 * warning, because it may hide worse.
 *
 * @param all the evaluated records
 * @param launches sorted, the worst first
 * @param accountsWithoutQuotas accounts that ask for quotas, and whose answers had none. Defaults to none
 * @param isAsked whether a check asks about the launches alone: then `all` is empty, and that is no problem. Defaults to false
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
  const quotas = countsOf(allQuotas);
  const targets = countsOf(all);
  const ofLaunches = (...states: readonly (keyof typeof launchSentences)[]) =>
    states.flatMap((state) => launchClauses(state, launches, texts));
  const ofTargets = (...states: readonly (keyof typeof targetSentences)[]) =>
    states
      .filter((state) => targets(state) > 0)
      .map((state): Clause => ({
        text: say(targetSentences[state], { count: targets(state), all: all.length }),
        cause: state === 'failing' ? failureText(all, texts) : undefined,
        table: 'problems',
      }));
  const ofQuotas = (states: readonly DisplayState[], more: Partial<Clause> = {}): Clause[] => {
    const text = quotaCounts(quotas, states, texts);
    return text === '' ? [] : [{ text, table: 'quotas', ...more }];
  };
  // The latest success of what is stale. A stored record may have none.
  const [sinceMs] = all
    .flatMap(({ isFresh, record }) =>
      isFresh ? [] : (record.observed.freshness.lastSuccessAtMs ?? []),
    )
    .sort((a, b) => b - a);
  const unknown: Clause[] = [
    ...(all.length === 0 && !isAsked ? [{ text: say('Nothing is watched yet') }] : []),
    ...ofTargets('failing', 'pending', 'incomplete'),
    // Stale quotas say that their targets are stale, too.
    ...(quotas('stale') > 0 ? [] : ofTargets('stale')),
    ...ofQuotas(['gone']),
    ...ofQuotas(['stale'], { sinceMs }),
    ...accountsWithoutQuotas.map((account) => ({
      text: say('account {account} watches quotas, and no answer had one', { account }),
    })),
    ...ofLaunches('unknown', 'unjudged'),
  ];
  const [worst] = allQuotas.filter(({ state }) => isLowOrWorse(state)).toSorted(worstQuotaFirst);
  const lowQuotas = ofQuotas(
    ['overdrawn', 'critical', 'low'],
    worst && { worst: worstText(worst, texts) },
  );
  const isQuotaCritical = quotas('overdrawn', 'critical') > 0;
  const critical = [...ofLaunches('critical'), ...(isQuotaCritical ? lowQuotas : [])];
  const warnings = [...ofLaunches('low'), ...(isQuotaCritical ? [] : lowQuotas)];
  const problems = [...critical, ...unknown, ...warnings];
  const upText = say('{count target|targets} up, no quota is watched', { count: all.length });
  const fine: Clause[] = [
    ...(all.length > 0 && allQuotas.length === 0 ? [{ text: upText }] : []),
    ...ofQuotas(['fine', 'muted', 'none', 'unknown'], { detail: leastLeftText(allQuotas, texts) }),
    ...ofLaunches('fine', 'muted'),
  ];
  if (fine.length === 0) fine.push({ text: say('nothing to judge') });
  const warningOrFine = warnings.length > 0 ? 'warning' : 'fine';
  const unknownOrLess = unknown.length > 0 ? 'unknown' : warningOrFine;
  const severity: Severity = critical.length > 0 ? 'critical' : unknownOrLess;
  return {
    severity,
    /**
     * At least one: what is known to be critical, then what is unknown, a cause before its effect, then what is low or at risk.
     * If there is nothing of these, what is fine. At the end, what is not asked for.
     */
    clauses: [
      ...(problems.length > 0 ? problems : fine),
      ...notAskedTexts(all, launches, texts).map((text): Clause => ({ text })),
    ],
    targets,
    quotas,
    /** Number of quotas whose present numbers are known. */
    knownQuotas: allQuotas.length - quotas('gone', 'stale', 'unknown'),
  };
}

function countsOf(all: readonly { readonly state: DisplayState }[]): StateCounts {
  return (...states) => all.filter(({ state }) => states.includes(state)).length;
}

/** A clause for the launches in a state, if there are any; one for each reason if they are not judged. */
function launchClauses(
  state: keyof typeof launchSentences,
  all: readonly EvaluatedLaunch[],
  texts: Texts,
): readonly Clause[] {
  const inState = all.filter((launch) => launch.state === state);
  return [...new Set(inState.map(({ unjudged }) => unjudged))].map((reason) => {
    // Launches are sorted, the worst first.
    const [worst, ...others] = inState.filter(({ unjudged }) => unjudged === reason);
    const text = texts.say(launchSentences[state], { count: others.length + 1 });
    const detail = worst && severityOf(state) !== 'fine' ? launchSummary(worst, texts) : undefined;
    return { text, detail, table: 'launches' };
  });
}

/**
 * Texts about what is not asked for: first parts of launches that nothing reads; then what lacks a permission, which makes
 * nothing unknown: parts of launches, and other targets that only launches need.
 */
function notAskedTexts(
  all: readonly EvaluatedRecord[],
  launches: readonly EvaluatedLaunch[],
  { say, word }: Texts,
): readonly string[] {
  const counted = launches.filter(({ state }) => state !== 'muted');
  const parts = counted.flatMap((launch) => launch.parts);
  const denied = parts.flatMap(({ isAsked, part }) => (isAsked === false ? part : []));
  const operations = denied.map(({ operation }) => operation);
  const others = all.filter(
    ({ record, state }) => state === 'denied' && !operations.includes(record.target.operation),
  );
  const countTexts = (names: readonly string[]) =>
    [...new Set(names)].map((name) => {
      const count = names.filter((other) => other === name).length;
      return say('{name} of {count launch|launches}', { name: word(name), count });
    });
  const deniedTexts = [
    ...countTexts(denied.map(({ name }) => name)),
    ...new Set(others.map(({ collector }) => word(collector.noun))),
  ];
  return [
    ...countTexts(counted.flatMap(({ leftOut }) => leftOut)).map((what) =>
      say('{what} is not asked for', { what }),
    ),
    ...deniedTexts.map((what) => say('{what} not asked: no permission', { what })),
  ];
}

/** How many reasons of failures a clause names. */
const maxFailures = 3;

/** The reasons why targets fail, with advice about credentials where it is known. */
function failureText(all: readonly EvaluatedRecord[], texts: Texts): string {
  const failures = [...failureAdvice(all, texts)].map(([text, advised]) => advised ?? text);
  return firstTexts(failures, maxFailures, texts).join(texts.say('; '));
}

/**
 * Why targets fail, such as `AuthFailure.TokenFailure of staging`, each once. The value is the same text with advice about
 * credentials; `null` without advice, for other failures.
 */
export function failureAdvice(
  all: readonly EvaluatedRecord[],
  { say, word }: Texts,
): ReadonlyMap<string, string | null> {
  const failures = all.flatMap(({ record: { observed, target } }) => {
    const { failure } = observed.freshness;
    if (failure === null) return [];
    const advice = credentialsAdvice(failure);
    const text = say('{code} of {account}', { code: failure.code, account: target.account });
    return [[text, advice && say('{text}: {more}', { text, more: word(advice) })] as const];
  });
  return new Map(failures);
}

/** How many quotas have each of the given states, such as `1 quota overdrawn, 2 critical`. Empty if none has one. */
export function quotaCounts(
  quotas: StateCounts,
  states: readonly DisplayState[],
  { say }: Texts,
): string {
  const sentences = states
    .filter((state) => quotas(state) > 0)
    .map((state, i) =>
      say(i === 0 ? '{count quota|quotas} {state}' : '{count} {state}', {
        count: quotas(state),
        state: say(state === 'none' ? 'with limit 0' : state),
      }),
    );
  return sentences.join(say(', '));
}

/** A quota with its place and what remains, such as `postpaid in ap-guangzhou-3 of a: 4 of 199 vcpus left (2 %)`. */
function worstText(worst: EvaluatedQuota, texts: Texts): string {
  const { account } = worst.evaluated.record.target;
  const [what, where] = [worst.quota.type, zoneOrRegion(worst)];
  const more = remainingText(worst, texts);
  return texts.say('{what} in {where} of {account}: {more}', { what, where, account, more });
}

/** The share that each fine quota has left at least. `undefined` if no share is known. */
function leastLeftText(all: readonly EvaluatedQuota[], { say }: Texts): string | undefined {
  const [least] = all
    .filter(({ remainingShare, state }) => state === 'fine' && remainingShare !== null)
    .toSorted(compareRemaining);
  return least && say('{share} or more left', { share: remainingShareText(least) });
}

/** The verdict in one line, without times and causes of failures. */
export function verdictText({ clauses }: Verdict, { say }: Texts): string {
  const sentences = clauses.map(({ detail, text, worst }) => {
    const which = detail === undefined ? text : say('{text} ({more})', { text, more: detail });
    return worst === undefined ? which : say('{text}: {more}', { text: which, more: worst });
  });
  return sentences.join(say('; '));
}
