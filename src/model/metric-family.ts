/** A metric family as data, before it becomes text. */
import type { SnapshotOf, TargetRecord } from './record.ts';

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
  /** The configured labels of the account. */
  readonly accountLabels: Readonly<Record<string, string>>;
}

/** Labels besides those of the target, and the value. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number | null>>;
  readonly value: number;
}

/** A metric family, and the samples that each thing of one type adds to it. */
export interface FamilyOf<Shown> extends FamilyHeader {
  /** The names of the labels of its samples. Absent if they have none. The documentation shows them. */
  readonly labels?: readonly string[] | undefined;
  /** Empty if there are none. */
  samples(shown: Shown): readonly Sample[];
}

/** A family of samples of records. */
export type Family<R extends TargetRecord = TargetRecord> = FamilyOf<RecordView<R>>;

/** A value that may be unknown. */
type Value = number | null | undefined;

/** Samples, or the value of one without further labels. What is unknown is left out. */
type Samples = readonly (Pick<Sample, 'labels'> & { readonly value: Value })[] | Value;

/** A counter if its name ends in `_total`, else a gauge. */
export function family<Shown>(
  name: string,
  help: string,
  samplesOf: (shown: Shown) => Samples,
  labels?: readonly string[],
): FamilyOf<Shown> {
  return {
    name,
    type: name.endsWith('_total') ? 'counter' : 'gauge',
    help,
    labels,
    samples: (shown) => {
      const found = samplesOf(shown);
      const all = typeof found === 'number' ? [{ labels: {}, value: found }] : (found ?? []);
      return all.flatMap(({ labels: own, value = null }) =>
        value === null ? [] : [{ labels: own, value }],
      );
    },
  };
}

type FamilyRow<Shown> = readonly [
  help: string,
  samplesOf: (shown: Shown) => Samples,
  labels?: readonly string[],
];

/** Families by their names, in the order of the exposition. */
export function families<Shown>(
  rows: Readonly<Record<string, FamilyRow<Shown>>>,
): readonly FamilyOf<Shown>[] {
  return Object.entries(rows).map(([name, row]) => family(name, ...row));
}

/** A sample for each count, with its key as a label. */
export function samplesBy(
  label: string,
  counts: Iterable<readonly [string, number]>,
  labels: Sample['labels'] = {},
): readonly Sample[] {
  return [...counts].map(([key, value]) => ({ labels: { ...labels, [label]: key }, value }));
}

/** A time or a duration in the unit of metrics. */
export function seconds(ms: number | null | undefined): number | null {
  return ms ? ms / 1_000 : (ms ?? null);
}

/** A family of samples of a snapshot. A record that is not fresh has none. */
export function snapshotGauge<R extends TargetRecord>(
  name: string,
  help: string,
  samplesOf: (snapshot: SnapshotOf<R>, view: RecordView<R>) => Samples,
  labels?: readonly string[],
): Family<R> {
  const samples = (view: RecordView<R>) => {
    const { snapshot }: { snapshot: SnapshotOf<R> | null } = view.record.observed;
    return view.isFresh && snapshot !== null ? samplesOf(snapshot, view) : null;
  };
  return family(name, `${help} From the last successful poll.`, samples, labels);
}

/** A family with a sample of what a record counts. */
export function durableCounter<R extends TargetRecord>(
  name: string,
  help: string,
  valueOf: (durable: R['durable']) => number,
): Family<R> {
  return family(name, help, ({ record }) => valueOf(record.durable));
}
