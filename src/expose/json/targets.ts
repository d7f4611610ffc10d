import type { ClusterStatus } from '../../model/cluster-status.ts';
import { targetKey } from '../../model/target.ts';
import { credentialsAdvice } from '../credentials-advice.ts';
import { admits, readQuery, targetLabels, valuesOf } from '../filter.ts';
import { isUp, type Watched } from '../watched.ts';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { listJson, timestamp, type Source } from './list.ts';

/** `/api/v1/targets`: in the order of the configuration, with the regions that are left out, and the daemons of a cluster. */
export async function targetsJson({ view, watch }: Source, search: URLSearchParams) {
  const { clock, collectors } = view;
  const all = await watch(clock.now());
  const kinds = collectors.all.map(({ kind }) => kind);
  const labels = { ...valuesOf(all.flatMap(targetLabels), collectors), kind: kinds };
  const { filter, options } = readQuery(search, labels, { up: ['true', 'false'] });
  const up = options.get('up');
  const cluster = view.cluster();
  const polledBy = new Map(cluster?.accounts.map((each) => [each.account, each.polledBy]));
  const asked = all.filter(
    (watched) =>
      admits(filter, ...targetLabels(watched)) &&
      (up === undefined || up === String(isUp(watched))),
  );
  const targets = await listJson('targets', asked, (watched) => ({
    ...targetJson(watched, collectors),
    polled_by: polledBy.get(watched.record.target.account) ?? null,
  }));
  const leftOut = [...view.status().leftOut].flatMap(([account, regions]) =>
    regions.map((region) => ({ account, region })),
  );
  return `${targets},"regions_left_out":${JSON.stringify(leftOut)},"cluster":${JSON.stringify(cluster && clusterJson(cluster))}`;
}

/**
 * A target with its freshness and its snapshot. The snapshot contains the data of the last success.
 */
export function targetJson(watched: Watched, collectors: CollectorSet) {
  const { collector, isFresh, record } = watched;
  const {
    target,
    seen: { freshness, snapshot },
  } = record;
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
    waiting: accounts.flatMap(({ account, waitingSinceMs }) =>
      waitingSinceMs === null ? [] : [{ account, since: timestamp(waitingSinceMs) }],
    ),
    problem,
  };
}
