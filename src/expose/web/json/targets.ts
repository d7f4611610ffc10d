import type { TargetRecord } from '../../../model/record.ts';
import type { CollectorSet } from '../../../collectors/collector-set.ts';
import type { MonitorView } from '../../monitor-view.ts';
import { isFresh, isUp } from '../../../model/staleness.ts';
import { targetKey } from '../../../model/target.ts';
import { includes, isAskedFor, unknownCursor, type TargetsQuery } from './query.ts';
import { clusterJson } from './cluster.ts';
import { timestamp } from './timestamp.ts';

/** The time at which freshness is evaluated. Milliseconds since the Unix epoch. */
interface Now {
  readonly nowMs: number;
  readonly staleAfterMs: number;
}

/**
 * One answer of `/api/v1/targets`: in the order of the configuration. `from` and `to` apply to the time
 * of the last poll. `next_cursor` names the last target of the answer, so that a reload does not shift
 * the next answer.
 *
 * @throws QueryError when the target of the cursor is no longer watched
 */
export function targetsJson(view: MonitorView, query: TargetsQuery) {
  const { collectors } = view;
  const { cursor, limit } = query;
  const now = { nowMs: view.clock.now(), staleAfterMs: view.staleAfterMs() };
  const records = view.published.all();
  const cluster = view.cluster();
  const polledBy = new Map(cluster?.accounts.map((each) => [each.account, each.polledBy]));
  const isMatch = (record: TargetRecord) => matches(record, query, now);
  const start = cursor === undefined ? 0 : indexAfter(records, cursor);
  const rest = records.slice(start).filter(isMatch);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    targets: page.map((record) => ({
      ...targetJson(record, collectors, now),
      polled_by: polledBy.get(record.target.account) ?? null,
    })),
    total: records.filter(isMatch).length,
    next_cursor: last === undefined || page.length === rest.length ? null : targetKey(last.target),
    cluster: cluster && clusterJson(cluster),
  };
}

function matches(record: TargetRecord, query: TargetsQuery, now: Now): boolean {
  const {
    target,
    seen: { freshness },
    kind,
  } = record;
  const { account, region } = target;
  const atMs = freshness.lastPoll?.atMs ?? null;
  return (
    isAskedFor(query, { account, region, atMs }) &&
    includes(query.kind, kind) &&
    (query.up === undefined || query.up === isUp(record, now.nowMs, now.staleAfterMs))
  );
}

function indexAfter(records: readonly TargetRecord[], cursor: string): number {
  const index = records.findIndex(({ target }) => targetKey(target) === cursor);
  if (index === -1) throw unknownCursor();
  return index + 1;
}

/**
 * A target with its freshness and its snapshot. The snapshot contains the data of the last success.
 */
export function targetJson(
  record: TargetRecord,
  collectors: CollectorSet,
  { nowMs, staleAfterMs }: Now,
) {
  const {
    target,
    kind,
    seen: { freshness, snapshot },
  } = record;
  const { lastPoll, lastSuccessAtMs, failure } = freshness;
  return {
    id: targetKey(target),
    kind,
    account: target.account,
    region: target.region,
    operation: target.operation,
    ...collectors.resourceOf(target),
    up: isUp(record, nowMs, staleAfterMs),
    stale: !isFresh(record, nowMs, staleAfterMs),
    last_poll_at: timestamp(lastPoll?.atMs),
    last_poll_duration_seconds: lastPoll && lastPoll.durationMs / 1_000,
    last_success_at: timestamp(lastSuccessAtMs),
    failure: failure && {
      code: failure.code,
      message: failure.message,
      request_id: failure.requestId,
      since: timestamp(failure.sinceMs),
    },
    polls: freshness.polls,
    polls_failed: Object.values(freshness.failures).reduce((sum, count) => sum + count, 0),
    incomplete: (snapshot?.missing.length ?? 0) > 0,
    missing: snapshot?.missing ?? [],
    snapshot: snapshot && collectors.of(target).json(snapshot),
  };
}
