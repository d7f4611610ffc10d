/** A metric family as data, before it becomes text. */
import type { TargetRecord } from './record.ts';
import type { ThresholdsOfQuota } from './thresholds.ts';

export type MetricType = 'gauge' | 'counter' | 'histogram' | 'summary';

export interface FamilyHeader {
  /** With `_total` for a counter, like the names of its samples. */
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
}

/** A record at the time of an exposition. */
export interface RecordView<R extends TargetRecord = TargetRecord> {
  readonly record: R;
  /** Whether the snapshot may be shown as the present state. A stale record shows counters only. */
  readonly isFresh: boolean;
  readonly isUp: boolean;
  readonly thresholdsOf: ThresholdsOfQuota;
  /** The configured labels of the account. */
  readonly accountLabels: Readonly<Record<string, string>>;
}

/** Labels besides those of the target, and the value. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number | null>>;
  readonly value: number;
}

/** A metric family, and the samples that a record adds to it. */
export interface Family<R extends TargetRecord = TargetRecord> extends FamilyHeader {
  /** Empty for a record without samples. */
  readonly samples: (view: RecordView<R>) => readonly Sample[];
}

/** One sample without further labels. None if the value is unknown. */
export function sampleOf(value: number | null | undefined): readonly Sample[] {
  return value === null || value === undefined ? [] : [{ labels: {}, value }];
}
