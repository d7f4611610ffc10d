/** Every metric that comes from records, and the text that a record adds to each. */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { Family, FamilyHeader, RecordView, Sample } from '../../model/metric-family.ts';
import type { Target } from '../../model/target.ts';
import { freshnessFamilies } from './freshness-families.ts';
import { quotaFamilies } from './quota-families.ts';
import { labelText, sampleText } from './text-format.ts';

/** A metric family of the exposition. */
export interface TextFamily extends FamilyHeader {
  /** Whether it counts the polls of this daemon. */
  readonly countsPolls: boolean;
  /** The lines of the record's samples; empty when it has none. */
  readonly render: (view: RecordView) => string;
}

/** The families of all collectors, in the order of the exposition. */
export function recordFamilies(collectors: CollectorSet): readonly TextFamily[] {
  const placeText = labelTextOf(placeLabels);
  const targetText = labelTextOf(targetLabels);
  return [
    ...quotaFamilies(collectors).map((family) => textFamily(family, placeText)),
    ...collectors.all.flatMap(({ operation, families }) =>
      families.map((family) => onlyFor(operation, textFamily(family, placeText))),
    ),
    ...freshnessFamilies.map((family) => ({
      ...textFamily(family, targetText),
      countsPolls: family.type === 'counter',
    })),
  ];
}

/** A family to which only the records of one collector add samples. */
function onlyFor(operation: string, family: TextFamily): TextFamily {
  return {
    ...family,
    render: (view) => (view.record.target.operation === operation ? family.render(view) : ''),
  };
}

function textFamily(family: Family, labelTextFor: (target: Target) => string): TextFamily {
  const { name, type, help } = family;
  return {
    name,
    type,
    help,
    countsPolls: false,
    render: (view) => {
      const samples = family.samples(view);
      return samples.length === 0 ? '' : lines(name, labelTextFor(view.record.target), samples);
    },
  };
}

function placeLabels({ account, region, resource }: Target): Sample['labels'] {
  return { account, region, ...resource };
}

function targetLabels({ account, region, operation, resource }: Target): Sample['labels'] {
  return { account, region, operation, ...resource };
}

/** The families of a record follow each other, so the text of the last target is kept. */
function labelTextOf(labelsOf: (target: Target) => Sample['labels']) {
  let last: { readonly target: Target; readonly text: string } | null = null;
  return (target: Target): string => {
    if (last?.target !== target) last = { target, text: labelText(labelsOf(target)) };
    return last.text;
  };
}

function lines(name: string, baseText: string, samples: readonly Sample[]): string {
  const texts = samples.map(({ labels, value }) => {
    const ownText = labelText(labels);
    return sampleText(name, ownText === '' ? baseText : `${baseText},${ownText}`, value);
  });
  return texts.join('');
}
