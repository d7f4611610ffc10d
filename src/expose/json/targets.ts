import { z } from 'zod';
import type { TargetRecord } from '../../model/record.ts';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { MonitorView } from '../monitor-view.ts';
import { isFresh, isUp } from '../../model/staleness.ts';
import { targetKey } from '../../model/target.ts';
import { includes, listJson, names, once, oneOf, readQuery } from './query.ts';
import { clusterJson } from './cluster.ts';
import { timestamp } from './timestamp.ts';

/** The time at which freshness is evaluated. Milliseconds since the Unix epoch. */
interface Now {
  readonly nowMs: number;
  readonly staleAfterMs: number;
}

/** `/api/v1/targets`: in the order of the configuration, with the daemons of a cluster. */
export async function targetsJson(view: MonitorView, search: URLSearchParams): Promise<string> {
  const { collectors } = view;
  const schema = z.strictObject({
    account: names,
    region: names,
    kind: z.array(oneOf(collectors.all.map(({ kind }) => kind))).default([]),
    up: once.pipe(oneOf(['true', 'false'])).optional(),
  });
  const { account, kind, region, up } = readQuery(schema, search);
  const now = { nowMs: view.clock.now(), staleAfterMs: view.staleAfterMs() };
  const cluster = view.cluster();
  const polledBy = new Map(cluster?.accounts.map((each) => [each.account, each.polledBy]));
  const asked = view.published
    .all()
    .filter(
      (record) =>
        includes(account, record.target.account) &&
        includes(region, record.target.region) &&
        includes(kind, record.kind) &&
        (up === undefined || up === String(isUp(record, now.nowMs, now.staleAfterMs))),
    );
  const targets = await listJson('targets', asked, (record) => ({
    ...targetJson(record, collectors, now),
    polled_by: polledBy.get(record.target.account) ?? null,
  }));
  return `${targets},"cluster":${JSON.stringify(cluster && clusterJson(cluster))}`;
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
