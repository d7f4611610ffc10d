import type { LaunchTemplateRecord, QuotaRecord, TargetRecord } from '../../model/record.ts';
import { labelText, sampleText, type FamilyHeader } from './text-format.ts';

/** A record as it is at the time of an exposition. */
export interface RecordView<R extends TargetRecord = TargetRecord> {
  readonly record: R;
  /** Whether the snapshot may be shown; a record that is not fresh exposes counters only. */
  readonly isFresh: boolean;
  readonly isUp: boolean;
}

/** Labels besides those of the target, and the value they belong to. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number | null>>;
  readonly value: number;
}

/** A metric family and what a record adds to it. */
export interface Family extends FamilyHeader {
  /** The lines of the record's samples; empty when it has none. */
  readonly render: (view: RecordView) => string;
}

/** A family of which only quota targets have samples. */
export function quotaFamily(
  header: FamilyHeader,
  samples: (view: RecordView<QuotaRecord>) => readonly Sample[],
): Family {
  return {
    ...header,
    render: ({ record, ...view }) => {
      if (record.kind !== 'quota') return '';
      const { account, region } = record.target;
      return lines(header.name, { account, region }, samples({ record, ...view }));
    },
  };
}

/** A family of which only launch templates have samples; they are labelled with `template_id`. */
export function launchTemplateFamily(
  header: FamilyHeader,
  samples: (view: RecordView<LaunchTemplateRecord>) => readonly Sample[],
): Family {
  return {
    ...header,
    render: ({ record, ...view }) => {
      if (record.kind !== 'launch-template') return '';
      const { account, region, templateId } = record.target;
      const labels = { account, region, template_id: templateId };
      return lines(header.name, labels, samples({ record, ...view }));
    },
  };
}

/** A family of which every target has samples, labelled with what it asks. */
export function targetFamily(
  header: FamilyHeader,
  samples: (view: RecordView) => readonly Sample[],
): Family {
  return {
    ...header,
    render: (view) => {
      const { target } = view.record;
      const { account, region, operation } = target;
      const template_id = 'templateId' in target ? target.templateId : null;
      return lines(header.name, { account, region, operation, template_id }, samples(view));
    },
  };
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

/** The same text in one piece: V8 keeps what was put together as a tree, eight times as large. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}
