/** A metric family as data, before it becomes text. */
import type { SnapshotOf, TargetRecord } from './record.ts';
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
  /** The names of the labels of its samples. Absent if they have none. The documentation shows them. */
  readonly labels?: readonly string[];
  /** Empty for a record without samples. */
  samples(view: RecordView<R>): readonly Sample[];
}

/** One sample without further labels. None if the value is unknown. */
export function sampleOf(value: number | null | undefined): readonly Sample[] {
  return value === null || value === undefined ? [] : [{ labels: {}, value }];
}

/** A family of samples of a snapshot. A record that is not fresh has none. */
export function gauges<R extends TargetRecord>(
  name: string,
  help: string,
  samplesOf: (snapshot: SnapshotOf<R>, view: RecordView<R>) => readonly Sample[],
  labels: readonly string[] = [],
): Family<R> {
  return {
    name,
    type: 'gauge',
    help: `${help} From the last successful poll.`,
    labels,
    samples: (view) => {
      const { snapshot }: { snapshot: SnapshotOf<R> | null } = view.record.seen;
      return view.isFresh && snapshot !== null ? samplesOf(snapshot, view) : [];
    },
  };
}

/** A family with a sample of what a record counts. */
export function counter<R extends TargetRecord>(
  name: string,
  help: string,
  valueOf: (counted: R['counted']) => number,
): Family<R> {
  return {
    name,
    type: 'counter',
    help,
    samples: ({ record }) => sampleOf(valueOf(record.counted)),
  };
}
