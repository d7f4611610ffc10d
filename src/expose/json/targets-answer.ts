/** The answer of `/api/v1/targets`, which `app.ts` routes, and a target in the JSON of `check` (`check-report.ts`). */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { ClusterStatus } from '../../model/cluster-status.ts';
import { credentialsAdvice } from '../../credentials/advice.ts';
import { targetKey } from '../../model/target.ts';
import { jsonAnswer, listJson, timestamp } from '../answers.ts';
import { labelValues, matchesRecord, parseQuery, type ListAnswer } from '../filter.ts';
import type { EvaluatedRecord } from '../evaluation.ts';

/**
 * The targets in the order of the configuration, the regions that discovery found and that are not polled, and the daemons of
 * a cluster, or `null` for one daemon alone.
 */
export const targetsAnswer: ListAnswer = async (evaluator, query, pace) => {
  const { view } = evaluator;
  const { collectors } = view;
  const { targets } = await evaluator.evaluate(pace);
  const { filter } = parseQuery(query, {
    ...(await labelValues(targets, collectors, pace)),
    kind: collectors.all.map(({ kind }) => kind),
    up: ['true', 'false'],
  });
  const cluster = view.cluster();
  const pollers = new Map(cluster?.accounts().map(({ account, polledBy }) => [account, polledBy]));
  const matching = targets.filter((target) => matchesRecord(filter, target));
  const leftOut = [...view.status().leftOut].flatMap(([account, regions]) =>
    regions.map((region) => ({ account, region })),
  );
  const jsonOf = (target: EvaluatedRecord) => ({
    ...targetJson(target, collectors),
    polled_by: pollers.get(target.record.target.account) ?? null,
  });
  return jsonAnswer([
    await listJson('targets', matching, jsonOf, pace),
    `"regions_left_out":${JSON.stringify(leftOut)}`,
    `"cluster":${JSON.stringify(cluster && clusterJson(cluster))}`,
  ]);
};

/** A target with its freshness, and with the snapshot of its last success, also if that is stale. */
export function targetJson(evaluated: EvaluatedRecord, collectors: CollectorSet) {
  const { collector, isFresh, isUp, record } = evaluated;
  const { target } = record;
  const { freshness, snapshot } = record.observed;
  const { lastPoll, lastSuccessAtMs, failure } = freshness;
  return {
    id: targetKey(target),
    kind: collector.kind,
    account: target.account,
    region: target.region,
    operation: target.operation,
    ...collectors.resourceOf(target),
    up: isUp,
    stale: !isFresh,
    last_poll_at: timestamp(lastPoll?.atMs),
    last_poll_duration_seconds: lastPoll && lastPoll.durationMs / 1_000,
    last_success_at: timestamp(lastSuccessAtMs),
    failure: failure && {
      code: failure.code,
      message: failure.message,
      advice: credentialsAdvice(failure),
      request_id: failure.requestId,
      since: timestamp(failure.sinceMs),
    },
    polls: freshness.polls,
    polls_failed: Object.values(freshness.failures).reduce((sum, count) => sum + count, 0),
    incomplete: (snapshot?.missing.length ?? 0) > 0,
    missing: snapshot?.missing ?? [],
    snapshot: snapshot && collector.json(snapshot),
  };
}

/** The daemons that share the accounts, and the accounts whose cycle is due and has not begun. */
function clusterJson({ accounts, members, problem }: ClusterStatus) {
  return {
    members: members.map((member) => ({
      name: member.name,
      version: member.version,
      started_at: timestamp(member.startedAtMs),
      configuration: member.configuration,
      silent_seconds: member.silentMs / 1_000,
      is_this: member.isThis,
    })),
    waiting: accounts().flatMap(({ account, waitingSinceMs }) =>
      waitingSinceMs === null ? [] : [{ account, since: timestamp(waitingSinceMs) }],
    ),
    problem,
  };
}
