/** A record as page, terminal and JSON show it at one time. */
import type { Collector } from '../collectors/collector.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { fullInMs, useChange, type UseChange } from '../model/forecast.ts';
import { goneQuotas } from '../model/quota-history.ts';
import type { TargetRecord } from '../model/record.ts';
import { isFresh } from '../model/staleness.ts';
import {
  thresholdsAt,
  thresholdsOf,
  type Thresholds,
  type ThresholdsOfQuota,
} from '../model/thresholds.ts';
import { usePoints, usualStepMs, type UsePoint } from '../model/trend.ts';
import type { MonitorView } from './monitor-view.ts';
import {
  compareShares,
  compareWords,
  judgementOf,
  wordOf,
  type Judgement,
  type QuotaWord,
  type Severity,
} from './severity.ts';

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
  readonly word: QuotaWord;
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
  const staleAfterMs = view.staleAfterMs();
  const thresholds = thresholdsAt(view.thresholds(), nowMs);
  const { collectors } = view;
  return view.published
    .all()
    .map((record) => watch(record, { collectors, staleAfterMs, thresholds, nowMs }));
}

export interface WatchOptions {
  readonly collectors: CollectorSet;
  readonly staleAfterMs: number;
  /** Without the overrides that have ended. */
  readonly thresholds: Thresholds;
  readonly nowMs: number;
}

export function watch(record: TargetRecord, options: WatchOptions): Watched {
  const { collectors, nowMs, staleAfterMs, thresholds } = options;
  const fresh = isFresh(record, nowMs, staleAfterMs);
  return {
    record,
    collector: collectors.of(record.target),
    state: stateOf(record, fresh),
    isFresh: fresh,
    staleAfterMs: staleAfterMs + (record.target.intervalMs ?? 0),
    thresholdsOf: thresholdsOf(thresholds, record.target),
  };
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
  return collector.quotas(record).map((quota) => {
    const judged = judgementOf(quota, watched.thresholdsOf);
    return { ...judged, watched, word: wordOf(judged, watched.isFresh) };
  });
}

/** A quota that disappeared while it was low, or worse. */
export interface GoneRow extends QuotaRow {
  /** Milliseconds since the Unix epoch. */
  readonly sinceMs: number;
}

/** The quotas that disappeared in the last 24 hours while they were low, or worse, with their last numbers. */
export function goneRowsOf(watched: Watched, nowMs: number): readonly GoneRow[] {
  const { collector, record } = watched;
  return goneQuotas(collector.histories(record), nowMs).flatMap(({ disappearedAtMs, quota }) => {
    const judged = judgementOf(quota, watched.thresholdsOf);
    const { severity } = judged;
    return severity === 'critical' || severity === 'warning'
      ? [{ ...judged, watched, word: 'gone' as const, sinceMs: disappearedAtMs }]
      : [];
  });
}

/** The worst first. */
export function compareUrgency(a: QuotaRow, b: QuotaRow): number {
  return compareWords(a.word, b.word) || compareShares(a, b);
}

/** The trend of a quota, as page and JSON show it. docs/status-page.md explains it. */
export interface ShownTrend {
  /** The oldest first. The last one is the use at the last success. */
  readonly points: readonly UsePoint[];
  readonly stepMs: number;
  /** `null` for a stale quota, and if fewer than two points are known. */
  readonly change: UseChange | null;
  /** The time from the last success to a full quota. `null` for a stale quota, and without steady growth. */
  readonly fullInMs: number | null;
}

export function trendOf({ quota, watched }: QuotaRow): ShownTrend {
  const { isFresh: fresh, record } = watched;
  const stepMs = record.seen.trend?.stepMs ?? usualStepMs;
  const points = usePoints(record.seen, quota);
  return {
    points,
    stepMs,
    change: fresh ? useChange(points) : null,
    fullInMs: fresh ? fullInMs(points, quota, stepMs) : null,
  };
}
