/**
 * The two text formats that Prometheus reads: Prometheus text 0.0.4 and OpenMetrics 1.0.0. They
 * differ in the header of a counter, in the end of the text, and in the media type.
 */
import type { FamilyHeader, FamilyOf } from '../../model/metric-family.ts';

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

/** What something adds to a family. */
export interface FamilySamples {
  readonly family: FamilyHeader;
  /** A line for each sample, without the last line break. */
  readonly text: string;
}

/**
 * The samples that something adds to families. Those without samples are left out.
 *
 * @param base the labels of all of them, as {@link labelText} gives them
 */
export function familySamples<Shown>(
  families: readonly FamilyOf<Shown>[],
  shown: Shown,
  base = '',
): FamilySamples[] {
  return families.flatMap((family) => {
    const lines = family.samples(shown).map(({ labels, value }) => {
      const own = labelText(labels);
      const all = base === '' || own === '' ? base + own : `${base},${own}`;
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

/** The texts of each family. */
export type SamplesByFamily = Map<FamilyHeader, string[]>;

/** Adds samples to the others of their families. */
export function addToFamilies(samples: readonly FamilySamples[], grouped: SamplesByFamily): void {
  for (const { family, text } of samples) {
    const known = grouped.get(family);
    if (known === undefined) grouped.set(family, [text]);
    else known.push(text);
  }
}

/** So much is written in less than a millisecond. */
const pieceBytes = 256 * 1024;
/** V8 puts such a text together, and writes it, in a third of the time that a text of a whole piece needs. */
const textLength = 8 * 1024;

/**
 * Samples as an exposition, in pieces.
 *
 * @param rest what follows them. Without it, the exposition has no end.
 */
export function* encodePieces(
  grouped: SamplesByFamily,
  format: ExpositionFormat,
  rest = '',
): Generator<Buffer> {
  let piece = Buffer.allocUnsafe(pieceBytes);
  let length = 0;
  let text = '';
  for (const [family, samples] of grouped) {
    text += headerText(family, format);
    for (const sample of samples) {
      text += `${sample}\n`;
      if (text.length < textLength) continue;
      const maxBytes = 3 * text.length;
      if (length + maxBytes > piece.length) {
        yield piece.subarray(0, length);
        piece = Buffer.allocUnsafe(Math.max(pieceBytes, maxBytes));
        length = 0;
      }
      length += piece.write(text, length);
      text = '';
    }
  }
  yield piece.subarray(0, length);
  yield Buffer.from(text + rest);
}
