import type { TargetRecord } from '../../../model/record.ts';
import { unitOf, type Snapshot } from '../../../model/snapshot.ts';
import { isFresh, isUp } from '../../../model/staleness.ts';
import { targetKey, templateIdOf } from '../../../model/target.ts';
import { includes, isAskedFor, QueryError, type TargetsQuery } from './query.ts';
import { timestamp } from './timestamp.ts';

/** The time by which freshness is judged, in milliseconds. */
interface Now {
  readonly nowMs: number;
  readonly staleAfterMs: number;
}

/**
 * One answer of `/api/v1/targets`: in the order of the configuration. `from` and `to` concern the last
 * poll. `next_cursor` names the last target of the answer, so that no reload shifts the next one.
 *
 * @throws QueryError when the target of the cursor is watched no longer
 */
export function targetsJson(records: readonly TargetRecord[], query: TargetsQuery, now: Now) {
  const { cursor, limit } = query;
  const isMatch = (record: TargetRecord) => matches(record, query, now);
  const start = cursor === undefined ? 0 : indexAfter(records, cursor);
  const rest = records.slice(start).filter(isMatch);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    targets: page.map((record) => targetJson(record, now)),
    total: records.filter(isMatch).length,
    next_cursor: last === undefined || page.length === rest.length ? null : targetKey(last.target),
  };
}

function matches(record: TargetRecord, query: TargetsQuery, now: Now): boolean {
  const { target, freshness, kind } = record;
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
  if (index === -1) {
    throw new QueryError('cursor must be a next_cursor as given; begin again without it');
  }
  return index + 1;
}

/** A target with its freshness, and its snapshot with all that was known at the last success. */
export function targetJson(record: TargetRecord, { nowMs, staleAfterMs }: Now) {
  const { target, freshness, kind, snapshot } = record;
  const { lastPoll, lastSuccessAtMs, failure } = freshness;
  return {
    id: targetKey(target),
    kind,
    account: target.account,
    region: target.region,
    operation: target.operation,
    template_id: templateIdOf(target) || null,
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
    snapshot: snapshot && snapshotJson(snapshot),
  };
}

function snapshotJson(snapshot: Snapshot) {
  if (snapshot.kind === 'quota') {
    return {
      app_id: snapshot.appId,
      quotas: snapshot.quotas.map((quota) => ({
        quota_type: quota.type,
        zone: quota.zone,
        unit: unitOf[quota.type],
        used: quota.used,
        remaining: quota.remaining,
        limit: quota.limit,
        once_limit: quota.onceLimit,
      })),
      disaster_recover_group_instance_limits: snapshot.groupInstanceLimits,
    };
  }
  const { defaultVersion, versions } = snapshot;
  return {
    versions,
    default_version: defaultVersion && {
      version: defaultVersion.version,
      image_id: defaultVersion.imageId,
      instance_type: defaultVersion.instanceType,
      charge_type: defaultVersion.chargeType,
    },
  };
}
