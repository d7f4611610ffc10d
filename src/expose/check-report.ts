/**
 * The result of `check` and `init`: one poll of every target, evaluated. The commands make it of the records;
 * `commands/renderers.ts` makes each `--output` of it.
 */
import { timestamp } from './answers.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import { askedFacts, type AskedSource } from '../model/launches/asked.ts';
import { english, type Texts } from '../model/texts/texts.ts';
import { judgeLaunches, type EvaluatedLaunch } from '../model/launches/judge-region.ts';
import { isJudged, launchJson, notJudgedJson } from './json/launches-answer.ts';
import { quotaFields } from './json/quotas-answer.ts';
import { targetJson } from './json/targets-answer.ts';
import {
  evaluateLaunches,
  evaluateRecord,
  groupByRegion,
  worstLaunchFirst,
  worstQuotaFirst,
  type EvaluatedRecord,
  type EvaluateOptions,
} from './evaluation.ts';
import { verdictOf } from './verdict.ts';

export type CheckReport = Readonly<ReturnType<typeof checkReport>>;

/** What a check judges with. */
type Judgement = Pick<EvaluateOptions, 'collectors' | 'thresholds'>;

/** Evaluates records at the time of their last poll, so that none is stale. */
function evaluateRecords(
  records: readonly TargetRecord[],
  { collectors, thresholds }: Judgement,
): readonly EvaluatedRecord[] {
  const polls = records.map(({ observed }) => observed.freshness.lastPoll?.atMs ?? 0);
  const nowMs = Math.max(0, ...polls);
  const answered = collectors.answeredAccounts(records);
  const options = { answered, collectors, thresholds, nowMs, staleAfterMs: Infinity };
  return records.map((record) => evaluateRecord(record, options));
}

/**
 * Judges the launches of `--launch` and `--plan`, all of a region together.
 *
 * @param sources the launches, with their account and region
 * @returns the worst first
 */
export function launchesAsked(
  records: readonly TargetRecord[],
  sources: readonly AskedSource[],
  judgement: Judgement,
): readonly EvaluatedLaunch[] {
  const all = evaluateRecords(records, judgement);
  return groupByRegion(sources, (source) => source)
    .flatMap(({ account, region, items }) => {
      const targets = all.filter(
        ({ record: { target } }) => target.account === account && target.region === region,
      );
      const watched = targets.map(({ launchFacts }) => launchFacts);
      return judgeLaunches({ account, region }, askedFacts(items, watched), judgement.thresholds);
    })
    .sort(worstLaunchFirst);
}

/** What a report is about, and its language. */
interface Subject {
  /**
   * The targets that were to be polled, also those that were left out because the service refuses their region. The verdict
   * names each of their accounts that asks for quotas and got none. Empty: it names no account.
   */
  readonly planned: readonly Target[];
  /** The result of {@link launchesAsked}: then no quota and no other launch counts. Absent: all that is watched counts. */
  readonly asked?: readonly EvaluatedLaunch[];
  /** The language of the verdict. Default: English. */
  readonly texts?: Texts;
}

/** The report of a check of all that is watched, or of the launches of `--launch` and `--plan` alone. */
export function checkReport(records: readonly TargetRecord[], judgement: Judgement & Subject) {
  const { asked, collectors, planned, texts = english, thresholds } = judgement;
  const all = evaluateRecords(records, judgement);
  const isAsked = asked !== undefined;
  const targets = all
    .filter(({ isShown }) => isShown)
    .map((target) => (isAsked ? { ...target, quotas: [], gone: [] } : target));
  const launches = asked ?? evaluateLaunches(all, thresholds);
  const quotas = targets.flatMap((target) => target.quotas);
  const withQuotas = new Set(quotas.map(({ evaluated }) => evaluated.record.target.account));
  const quotaAccounts = planned
    .filter((target) => collectors.of(target).reportableQuotas(target).length > 0)
    .map(({ account }) => account);
  const withoutQuotas = [...new Set(quotaAccounts)].filter((account) => !withQuotas.has(account));
  return {
    verdict: verdictOf(isAsked ? [] : targets, launches, texts, withoutQuotas, isAsked),
    collectors,
    texts,
    targets,
    launches,
    /** The worst first. */
    quotas: quotas.toSorted(worstQuotaFirst),
    /** True: the report is about the launches of `--launch` and `--plan` alone. Targets then have no quotas. */
    isAsked,
  };
}

/**
 * A report for scripts. `targets` has the form of `/api/v1/targets`, with the same names and units.
 * `quotas` lists every quota again with its severity, `launches` every launch that is judged, the worst first, and
 * `not_judged` the others.
 *
 * @param nowMs end of the check, in milliseconds since the Unix epoch
 */
export function checkJson(report: CheckReport, nowMs: number) {
  const { collectors, launches, quotas, targets, verdict } = report;
  return {
    status: verdict.severity,
    checked_at: timestamp(nowMs),
    quotas: quotas.map(quotaFields),
    launches: launches.filter(isJudged).map(launchJson),
    not_judged: launches.filter((launch) => !isJudged(launch)).map(notJudgedJson),
    targets: targets.map((target) => targetJson(target, collectors)),
  };
}
