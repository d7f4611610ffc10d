/** A record as page, terminal and JSON show it at one time. */
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Collector } from '../collectors/collector.ts';
import {
  compareShares,
  judgementOf,
  targetState,
  type Judgement,
  type TargetState,
} from '../model/judgement.ts';
import { goneQuotas } from '../model/quota-history.ts';
import { isFresh, type TargetRecord } from '../model/record.ts';
import { thresholdsOf, type Thresholds } from '../model/thresholds.ts';
import { compareStates, isBad, type HasState } from './severity.ts';

/** A record, evaluated at one time. */
export interface EvaluatedRecord {
  readonly record: TargetRecord;
  readonly collector: Collector;
  readonly state: TargetState;
  /** Whether its snapshot may be shown as the present state. */
  readonly isFresh: boolean;
  /** The time after a success in which the target is not stale. */
  readonly staleAfterMs: number;
  /** In the order of the record. */
  readonly quotas: readonly QuotaRow[];
  /** The quotas that disappeared in the last 24 hours while they were low, or worse, with their last numbers. */
  readonly gone: readonly QuotaRow[];
}

/** A quota with its target, evaluated at one time. */
export interface QuotaRow extends Omit<Judgement, 'state'>, HasState {
  readonly evaluated: EvaluatedRecord;
  /** When it disappeared, in milliseconds since the Unix epoch; `null` for one that did not. */
  readonly goneSinceMs: number | null;
}

export interface EvaluateOptions {
  readonly collectors: CollectorSet;
  readonly staleAfterMs: number;
  /** Without the overrides that have ended. */
  readonly thresholds: Thresholds;
  readonly nowMs: number;
}

export function evaluateRecord(record: TargetRecord, options: EvaluateOptions): EvaluatedRecord {
  const { collectors, nowMs, staleAfterMs, thresholds } = options;
  const { target } = record;
  const collector = collectors.of(target);
  const fresh = isFresh(record, nowMs, staleAfterMs);
  const thresholdsOfQuota = thresholdsOf(thresholds, target);
  const quotas: QuotaRow[] = [];
  const gone: QuotaRow[] = [];
  const evaluated: EvaluatedRecord = {
    record,
    collector,
    state: targetState(record, fresh),
    isFresh: fresh,
    staleAfterMs: staleAfterMs + (target.intervalMs ?? 0),
    quotas,
    gone,
  };
  for (const quota of collector.quotas(record)) {
    const judged = judgementOf(quota, thresholdsOfQuota);
    quotas.push({ ...judged, evaluated, state: fresh ? judged.state : 'stale', goneSinceMs: null });
  }
  for (const { disappearedAtMs, quota } of goneQuotas(record.durable.histories, nowMs)) {
    const judged = judgementOf(quota, thresholdsOfQuota);
    if (isBad(judged)) {
      gone.push({ ...judged, evaluated, state: 'gone', goneSinceMs: disappearedAtMs });
    }
  }
  return evaluated;
}

/** Whether the last poll succeeded and its answer is still fresh. */
export function isUp({ isFresh: fresh, record }: EvaluatedRecord): boolean {
  return fresh && record.observed.freshness.failure === null;
}

/** The targets of a region of an account. */
export type Place = ReturnType<typeof byPlace>[number];

/** In the order of the targets. */
export function byPlace(all: readonly EvaluatedRecord[]) {
  const places = new Map<string, { account: string; region: string; targets: EvaluatedRecord[] }>();
  for (const watched of all) {
    const { account, region } = watched.record.target;
    const key = `${account} ${region}`;
    const place = places.get(key) ?? { account, region, targets: [] };
    place.targets.push(watched);
    places.set(key, place);
  }
  return [...places.values()];
}

/** The labels of the resource that a quota limits, such as `subnet_id`. Empty for a quota of the account. */
export function resourceOf({ quota, evaluated }: QuotaRow): Readonly<Record<string, string>> {
  return { ...evaluated.record.target.resource, ...quota.labels };
}

/** The worst first. */
export function compareUrgency(a: QuotaRow, b: QuotaRow): number {
  return compareStates(a, b) || compareShares(a, b);
}
