/** Every metric that comes from records, and the text that a record adds to each. */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { Family, FamilyHeader, RecordView, Sample } from '../../model/metric-family.ts';
import { freshnessFamilies } from './freshness-families.ts';
import { quotaFamilies } from './quota-families.ts';
import { labelText, sampleText } from './text-format.ts';

/** A metric family of the exposition. */
export interface TextFamily extends FamilyHeader {
  /** The lines of the record's samples; empty when it has none. */
  readonly render: (view: RecordView) => string;
}

/** The families of all collectors, in the order of the exposition. */
export function recordFamilies(collectors: CollectorSet): readonly TextFamily[] {
  return [
    ...quotaFamilies(collectors).map((family) => textFamily(family, placeLabels)),
    ...collectors.all.flatMap(({ operation, families }) =>
      families.map((family) => onlyFor(operation, textFamily(family, placeLabels))),
    ),
    ...freshnessFamilies.map((family) => textFamily(family, targetLabels)),
  ];
}

/** A family to which only the records of one collector add samples. */
function onlyFor(operation: string, family: TextFamily): TextFamily {
  return {
    ...family,
    render: (view) => (view.record.target.operation === operation ? family.render(view) : ''),
  };
}

function textFamily(family: Family, labelsOf: (view: RecordView) => Sample['labels']): TextFamily {
  const { name, type, help } = family;
  return {
    name,
    type,
    help,
    render: (view) => lines(name, labelsOf(view), family.samples(view)),
  };
}

function placeLabels({ record: { target } }: RecordView): Sample['labels'] {
  const { account, region, resource } = target;
  return { account, region, ...resource };
}

function targetLabels({ record: { target } }: RecordView): Sample['labels'] {
  const { account, region, operation, resource } = target;
  return { account, region, operation, ...resource };
}

function lines(name: string, base: Sample['labels'], samples: readonly Sample[]): string {
  if (samples.length === 0) return '';
  const baseText = labelText(base);
  let text = '';
  for (const { labels, value } of samples) {
    const ownText = labelText(labels);
    text += sampleText(name, ownText === '' ? baseText : `${baseText},${ownText}`, value);
  }
  return flat(text);
}

/** The same text in one piece. V8 keeps a concatenated text as a tree, which needs eight times the memory. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}
