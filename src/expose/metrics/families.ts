/** Every metric that comes from records, and the text of the samples that a record adds to each. */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { Family, RecordView } from '../../model/metric-family.ts';
import { freshnessFamilies } from './freshness-families.ts';
import { quotaFamilies } from './quota-families.ts';
import { labelText, sampleText } from './text-format.ts';

/** A metric family of the exposition. */
export interface RecordFamily extends Family {
  /** The only operation whose records add samples; `null` if all do. */
  readonly operation: string | null;
  /** Whether it tells of polls: its samples have the operation as a label. */
  readonly isOfPolls: boolean;
}

/** The families of all collectors, in the order of the exposition. */
export function recordFamilies(collectors: CollectorSet): readonly RecordFamily[] {
  const family = (each: Family, operation: string | null = null, isOfPolls = false) => ({
    ...each,
    operation,
    isOfPolls,
  });
  return [
    ...quotaFamilies(collectors).map((each) => family(each)),
    ...collectors.all.flatMap(({ families, operation }) =>
      families.map((each) => family(each, operation)),
    ),
    ...freshnessFamilies.map((each) => family(each, null, true)),
  ];
}

/** The lines of the samples that a record adds to each family; empty where it has none, and where none is shown. */
export function sampleTexts(
  families: readonly RecordFamily[],
  view: RecordView,
  isShown: (family: RecordFamily) => boolean,
): string[] {
  const { account, region, operation, resource } = view.record.target;
  const place = labelText({ account, region, ...resource });
  const target = labelText({ account, region, operation, ...resource });
  return families.map((family) => {
    const isOwn = family.operation === null || family.operation === operation;
    if (!isOwn || !isShown(family)) return '';
    const base = family.isOfPolls ? target : place;
    const lines = family.samples(view).map(({ labels, value }) => {
      const own = labelText(labels);
      return sampleText(family.name, own === '' ? base : `${base},${own}`, value);
    });
    return lines.join('');
  });
}
