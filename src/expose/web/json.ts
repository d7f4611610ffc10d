/** Records and changes as the JSON of `/api/v1`: snake_case, times in ISO 8601 UTC. */
import type { Change } from '../../model/change.ts';
import type { TargetRecord } from '../../model/record.ts';
import { unitOf, type Snapshot } from '../../model/snapshot.ts';
import { templateIdOf } from '../../model/target.ts';
import { isFresh, isUp } from '../../model/staleness.ts';
import type { MonitorView } from '../monitor-view.ts';

const timestamp = (ms: number | null | undefined) =>
  ms === null || ms === undefined ? null : new Date(ms).toISOString();

/** A target with its freshness, and its snapshot with all that was known at the last success. */
export function targetJson(record: TargetRecord, view: MonitorView) {
  const { target, freshness, snapshot } = record;
  const nowMs = view.clock.now();
  const staleAfterMs = view.staleAfterMs();
  return {
    account: target.account,
    region: target.region,
    operation: target.operation,
    template_id: templateIdOf(target) || null,
    up: isUp(record, nowMs, staleAfterMs),
    stale: !isFresh(record, nowMs, staleAfterMs),
    last_poll_at: timestamp(freshness.lastPoll?.atMs),
    last_success_at: timestamp(freshness.lastSuccessAtMs),
    failure: freshness.failure && {
      code: freshness.failure.code,
      message: freshness.failure.message,
      request_id: freshness.failure.requestId,
      since: timestamp(freshness.failure.sinceMs),
    },
    polls: freshness.polls,
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

export function changeJson(change: Change) {
  return {
    kind: change.kind,
    at: timestamp(change.atMs),
    account: change.account,
    region: change.region,
    template_id: change.templateId || null,
    quota_type: change.quotaType,
    zone: change.zone,
    from: change.from,
    to: change.to,
  };
}
