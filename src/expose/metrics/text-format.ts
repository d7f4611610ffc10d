/**
 * Writes samples in the two text formats that Prometheus reads: Prometheus text 0.0.4 and OpenMetrics 1.0.0. They differ
 * in the header of a counter, in the escapes of a HELP text, in the end of the text, and in the media type.
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

/** The HELP and TYPE lines of a family. */
function headerText({ name, type, help }: FamilyHeader, format: ExpositionFormat): string {
  const isBareCounter = format === 'openmetrics' && type === 'counter';
  const family = isBareCounter ? name.replace(/_total$/, '') : name;
  const text = help.replaceAll(format === 'openmetrics' ? /[\\"\n]/g : /[\\\n]/g, escaped);
  return `# HELP ${family} ${text}\n# TYPE ${family} ${type}\n`;
}

const escaped = (character: string) => (character === '\n' ? '\\n' : `\\${character}`);

/** The samples that one source, such as a record, adds to a family. */
export interface FamilySamples {
  readonly family: FamilyHeader;
  /** A line for each sample, without the last line break. */
  readonly text: string;
}

/**
 * The samples that a source adds to families. Families to which it adds none are left out.
 *
 * @param base labels that every sample begins with, as {@link labelText} gives them
 * @param labelsOf the labels of each account, which samples with the label `account` get, too
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
      const all = base === '' || further === '' ? base + further : `${base},${further}`;
      return all === '' ? `${family.name} ${value}` : `${family.name}{${all}} ${value}`;
    });
    // Joined, because V8 keeps a concatenated text as a tree, which needs several times the memory.
    return lines.length === 0 ? [] : [{ family, text: lines.join('\n') }];
  });
}

/** Labels in the given order, without the braces. Leaves out labels without a value. */
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

/** The length of a piece. Longer texts, and many short ones, take longer to encode and to compress. */
const pieceLength = 64 * 1024;

/**
 * Encodes samples as an exposition, in pieces of UTF-8, so that a caller can yield or compress in between.
 *
 * @param rest the text after the samples: further families, and the end that OpenMetrics demands. Defaults to none
 */
export function* encodePieces(
  byFamily: SamplesByFamily,
  format: ExpositionFormat,
  rest = '',
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
  yield Buffer.from(text + rest);
}
