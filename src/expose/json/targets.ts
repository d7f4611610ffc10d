import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { ClusterStatus } from '../../model/cluster-status.ts';
import { credentialsAdvice } from '../../credentials/advice.ts';
import { targetKey } from '../../model/target.ts';
import { jsonAnswer, type Answer } from '../answers.ts';
import { admits, ask, targetLabels } from '../filter.ts';
import type { Evaluator } from '../evaluation.ts';
import { isUp, type EvaluatedRecord } from '../evaluated-record.ts';
import { listJson, timestamp } from './list.ts';

/** `/api/v1/targets`: in the order of the configuration, with the regions that are left out, and the daemons of a cluster. */
export async function targetsAnswer(source: Evaluator, query: string): Promise<Answer> {
  const { view } = source;
  const { collectors } = view;
  const { filter, targets } = await ask(source, query, {
    labels: { kind: collectors.all.map(({ kind }) => kind), up: ['true', 'false'] },
  });
  const cluster = view.cluster();
  const polledBy = new Map(cluster?.accounts().map((each) => [each.account, each.polledBy]));
  const asked = targets.filter((watched) => admits(filter, ...targetLabels(watched)));
  const leftOut = [...view.status().leftOut].flatMap(([account, regions]) =>
    regions.map((region) => ({ account, region })),
  );
  return jsonAnswer([
    await listJson('targets', asked, (watched) => ({
      ...targetJson(watched, collectors),
      polled_by: polledBy.get(watched.record.target.account) ?? null,
    })),
    `"regions_left_out":${JSON.stringify(leftOut)}`,
    `"cluster":${JSON.stringify(cluster && clusterJson(cluster))}`,
  ]);
}

/**
 * A target with its freshness and its snapshot. The snapshot contains the data of the last success.
 */
export function targetJson(watched: EvaluatedRecord, collectors: CollectorSet) {
  const { collector, isFresh, record } = watched;
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
    up: isUp(watched),
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
