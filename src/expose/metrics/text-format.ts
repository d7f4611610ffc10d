/**
 * Writes samples in the two text formats that Prometheus reads: Prometheus text 0.0.4 and OpenMetrics 1.0.0. They differ
 * in the header of a counter, in the escapes of a HELP text, in the end of the text, and in the media type.
 *
 * 1. `familySamples` writes the samples of one source, such as a record, as lines. Callers may memoize these.
 * 2. `addToFamilies` puts the samples of all sources together by family.
 * 3. `encodePieces` adds the headers and makes bytes, for `exposition.ts` and `check --output=prometheus`.
 */
import type { FamilyHeader, FamilyOf } from '../../model/metric-family.ts';
import type { LabelledAccount } from '../../model/target.ts';

export const formats = {
  prometheus: { contentType: 'text/plain; version=0.0.4; charset=utf-8', end: '' },
  openmetrics: {
    contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    end: '# EOF\n',
  },
} as const;
export type ExpositionFormat = keyof typeof formats;

/** The HELP and TYPE lines of a family. OpenMetrics names a counter there without `_total`. */
function headerText({ name, type, help }: FamilyHeader, format: ExpositionFormat): string {
  const isWithoutSuffix = format === 'openmetrics' && type === 'counter';
  const family = isWithoutSuffix ? name.replace(/_total$/, '') : name;
  const text = help.replaceAll(format === 'openmetrics' ? /[\\"\n]/g : /[\\\n]/g, escaped);
  return `# HELP ${family} ${text}\n# TYPE ${family} ${type}\n`;
}

/** A character of a HELP text or a label value, with a backslash before it. */
const escaped = (character: string) => (character === '\n' ? '\\n' : `\\${character}`);

/** The samples that one source, such as a record, adds to a family. */
export interface FamilySamples {
  readonly family: FamilyHeader;
  /** A line for each sample, without the last line break. Never empty. */
  readonly text: string;
}

/**
 * The samples that a source adds to families, one element for each family. Families to which it adds none are left out.
 *
 * @param base labels that every sample begins with, as {@link labelText} gives them. Defaults to none
 * @param labelsOf the configured labels of each account, which samples with the label `account` get, too. Defaults to none
 */
export function familySamples<Source>(
  families: readonly FamilyOf<Source>[],
  source: Source,
  base = '',
  labelsOf?: ReadonlyMap<string, LabelledAccount['labels']>,
): FamilySamples[] {
  return families.flatMap((family) => {
    const lines = family.samples(source).map(({ labels, value }) => {
      const ofAccount = labelsOf?.get(String(labels['account'] ?? ''));
      const further = labelText(ofAccount ? { ...labels, ...ofAccount } : labels);
      const joined = base === '' || further === '' ? base + further : `${base},${further}`;
      return joined === '' ? `${family.name} ${value}` : `${family.name}{${joined}} ${value}`;
    });
    // Joined, because V8 keeps a concatenated text as a tree, which needs several times the memory.
    return lines.length === 0 ? [] : [{ family, text: lines.join('\n') }];
  });
}

/** Labels in the given order, such as `account="a",region="b"`. Leaves out those whose value is `null` or empty. */
export function labelText(labels: Readonly<Record<string, string | number | null>>): string {
  let text = '';
  for (const name in labels) {
    const value = labels[name] ?? '';
    if (value === '') continue;
    text += `${text === '' ? '' : ','}${name}="${escapeLabelValue(String(value))}"`;
  }
  return text;
}

function escapeLabelValue(value: string): string {
  // The test is much faster, and few values have such a character.
  return /[\\"\n]/.test(value) ? value.replaceAll(/[\\"\n]/g, escaped) : value;
}

/** The texts of the samples of each family, in the order of the exposition. */
export type SamplesByFamily = Map<FamilyHeader, string[]>;

/** Adds samples to those of other sources, because the samples of a family stand together. Changes `byFamily`. */
export function addToFamilies(samples: readonly FamilySamples[], byFamily: SamplesByFamily): void {
  for (const { family, text } of samples) {
    const texts = byFamily.get(family);
    if (texts === undefined) byFamily.set(family, [text]);
    else texts.push(text);
  }
}

/** The least length of a piece, but for the last. Longer pieces, and many short ones, take longer to encode and compress. */
const pieceLength = 64 * 1024;

/**
 * Encodes samples as an exposition, in pieces of UTF-8, so that a caller can yield or compress in between.
 *
 * @param end the text after the samples: further families, and the end that OpenMetrics demands. Defaults to none
 */
export function* encodePieces(
  byFamily: SamplesByFamily,
  format: ExpositionFormat,
  end = '',
): Generator<Buffer> {
  let text = '';
  for (const [family, samples] of byFamily) {
    text += headerText(family, format);
    for (const sample of samples) {
      text += `${sample}\n`;
      if (text.length < pieceLength) continue;
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(text + end);
}
