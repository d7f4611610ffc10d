/**
 * Metric families as data: name, type, help, and a function that takes samples from a source. Collectors and
 * `expose/metrics/` define them; `expose/metrics/text-format.ts` writes them as text.
 */
import type { SnapshotOf, TargetRecord } from './record.ts';

export interface FamilyHeader {
  /** Ends in `_total` for a counter, like the names of its samples. */
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
}

/** The source of the families of records: a record at the time of an exposition. */
export interface RecordView<R extends TargetRecord = TargetRecord> {
  readonly record: R;
  /** Whether the snapshot may be shown as the present state. A stale record shows counters only. */
  readonly isFresh: boolean;
}

/** One value of a family. */
export interface Sample {
  /** Those that the source does not have already: a record adds the labels of its target. */
  readonly labels: Readonly<Record<string, string | number | null>>;
  readonly value: number;
}

/** A metric family of samples that are taken from sources of one type, such as records or the state of the daemon. */
export interface FamilyOf<Source> extends FamilyHeader {
  /** The names of the labels of its samples. Absent if they have none. The documentation shows them. */
  readonly labels?: readonly string[] | undefined;
  /** The samples that a source adds to the family; may be empty. */
  samples(source: Source): readonly Sample[];
}

/** A family of samples of records. */
export type Family<R extends TargetRecord = TargetRecord> = FamilyOf<RecordView<R>>;

/** A value that may be unknown. */
type Value = number | null | undefined;

/** Samples, or the value of a single one without further labels. Unknown values are left out. */
export type Samples = readonly (Pick<Sample, 'labels'> & { readonly value: Value })[] | Value;

/** A family of any source. Its name decides its type: a counter if it ends in `_total`, else a gauge. */
export function family<Source>(
  name: string,
  help: string,
  samplesOf: (source: Source) => Samples,
  labels?: readonly string[],
): FamilyOf<Source> {
  return {
    name,
    type: name.endsWith('_total') ? 'counter' : 'gauge',
    help,
    labels,
    samples: (source) => {
      const given = samplesOf(source) ?? [];
      const samples = typeof given === 'number' ? [{ labels: {}, value: given }] : given;
      return samples.flatMap(({ labels: ofSample, value }) =>
        value === null || value === undefined ? [] : [{ labels: ofSample, value }],
      );
    },
  };
}

/** A sample for each count, with its key as the value of `label`. @param labels further ones. Default: none */
export function samplesBy(
  label: string,
  counts: Iterable<readonly [string, number]>,
  labels: Sample['labels'] = {},
): readonly Sample[] {
  return [...counts].map(([key, value]) => ({ labels: { ...labels, [label]: key }, value }));
}

/** A time or a duration in seconds, the unit of metrics; `null` if it is unknown. */
export function seconds(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : ms / 1_000;
}

/** The value of a gauge that is 1 or 0; `null` if it is unknown. */
export const flag = (is: boolean | null) => (is === null ? null : Number(is));

/** A gauge of samples of a snapshot; a record that is not fresh has none. The help gets the sentence that says so. */
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

/** A counter, or several, of the durable half of a record. */
export function durableCounter<R extends TargetRecord>(
  name: `${string}_total`,
  help: string,
  samplesOf: (durable: R['durable'], target: R['target']) => Samples,
  labels?: readonly string[],
): Family<R> {
  return family(name, help, ({ record }) => samplesOf(record.durable, record.target), labels);
}
