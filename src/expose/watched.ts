/** A record as pages and JSON show it at one time. */
import type { Collector } from '../collectors/collector.ts';
import type { TargetRecord } from '../model/record.ts';
import { isFresh } from '../model/staleness.ts';
import type { MonitorView } from './monitor-view.ts';
import { thresholdsAt, thresholdsOf, type ThresholdsOfQuota } from '../model/thresholds.ts';
import { judgementOf, type Judgement, type Severity } from './severity.ts';

/**
 * `failing`: the last poll failed. `stale`: the last poll succeeded, but too long ago. `incomplete`: its
 * answer lacked something. `pending`: there was no poll yet.
 */
export type TargetState = 'up' | 'incomplete' | 'failing' | 'stale' | 'pending';

/** A record, evaluated at one time. */
export interface Watched {
  readonly record: TargetRecord;
  readonly collector: Collector;
  readonly state: TargetState;
  /** Whether its snapshot may be shown as the present state. */
  readonly isFresh: boolean;
  /** The time after a success in which the target is not stale. */
  readonly staleAfterMs: number;
  readonly thresholdsOf: ThresholdsOfQuota;
}

/** A quota with its target, evaluated at one time. */
export interface QuotaRow extends Judgement {
  readonly watched: Watched;
}

/** The present severity of a quota. For a stale quota it is unknown. */
export function presentSeverity({ severity, watched }: QuotaRow): Severity | 'stale' {
  return watched.isFresh ? severity : 'stale';
}

/** What the evaluation of records depends on. */
export type WatchedView = Pick<
  MonitorView,
  'collectors' | 'published' | 'staleAfterMs' | 'thresholds'
>;

/** Evaluates every published record, in the order of the configuration. */
export function watchAll(view: WatchedView, nowMs: number): readonly Watched[] {
  const generalMs = view.staleAfterMs();
  const thresholds = thresholdsAt(view.thresholds(), nowMs);
  return view.published.all().map((record) => {
    const fresh = isFresh(record, nowMs, generalMs);
    return {
      record,
      collector: view.collectors.of(record.target),
      state: stateOf(record, fresh),
      isFresh: fresh,
      staleAfterMs: generalMs + (record.target.intervalMs ?? 0),
      thresholdsOf: thresholdsOf(thresholds, record.target),
    };
  });
}

function stateOf({ seen: { freshness, snapshot } }: TargetRecord, fresh: boolean): TargetState {
  if (freshness.failure !== null) return 'failing';
  if (freshness.lastPoll === null) return 'pending';
  if (!fresh) return 'stale';
  return snapshot !== null && snapshot.missing.length > 0 ? 'incomplete' : 'up';
}

/** The quotas of a record, in its order. */
export function quotaRowsOf(watched: Watched): readonly QuotaRow[] {
  const { collector, record } = watched;
  return collector
    .quotas(record)
    .map((quota) => ({ ...judgementOf(quota, watched.thresholdsOf), watched }));
}
