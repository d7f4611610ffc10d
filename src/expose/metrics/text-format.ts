/**
 * The two text formats that Prometheus reads: Prometheus text 0.0.4 and OpenMetrics 1.0.0. They
 * differ in the header of a counter, in the end of the text, and in the media type.
 */
import type { FamilyHeader, FamilyOf } from '../../model/metric-family.ts';

const expositionFormats = ['prometheus', 'openmetrics'] as const;
export type ExpositionFormat = (typeof expositionFormats)[number];

export const contentTypeOf: Readonly<Record<ExpositionFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** The text that ends an exposition. */
export const endOf: Readonly<Record<ExpositionFormat, string>> = {
  prometheus: '',
  openmetrics: '# EOF\n',
};

/** The HELP and TYPE lines of a family. */
function headerText({ name, type, help }: FamilyHeader, format: ExpositionFormat): string {
  const isBareCounter = format === 'openmetrics' && type === 'counter';
  const family = isBareCounter ? name.replace(/_total$/, '') : name;
  return `# HELP ${family} ${escapeHelp(help, format)}\n# TYPE ${family} ${type}\n`;
}

/** Samples of one family; not empty. */
export interface FamilyText {
  readonly family: FamilyHeader;
  readonly text: string;
}

/**
 * The samples that something adds to families.
 *
 * @param base the labels of all of them, as {@link labelText} gives them
 */
export function textsOf<Shown>(
  families: readonly FamilyOf<Shown>[],
  shown: Shown,
  base = '',
): FamilyText[] {
  return families.flatMap((family) => {
    const lines = family.samples(shown).map(({ labels, value }) => {
      const own = labelText(labels);
      const all = base === '' || own === '' ? base + own : `${base},${own}`;
      return sampleText(family.name, all, value);
    });
    return lines.length === 0 ? [] : [{ family, text: lines.join('') }];
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

/** One sample; `labels` as {@link labelText} gives them. */
function sampleText(name: string, labels: string, value: number): string {
  const series = labels === '' ? name : `${name}{${labels}}`;
  return `${series} ${valueText(value)}\n`;
}

function valueText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

function escapeLabelValue(value: string): string {
  return /[\\"\n]/.test(value)
    ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : value;
}

function escapeHelp(help: string, format: ExpositionFormat): string {
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return format === 'openmetrics' ? escaped.replaceAll('"', '\\"') : escaped;
}

/** Samples as bytes: those of `families[i]` are before `ends[i]`. Each family is there once. */
export interface SampleBytes {
  readonly families: readonly FamilyHeader[];
  readonly ends: readonly number[];
  readonly bytes: Buffer;
}

/** Bytes need a fifth less memory than the texts, and an exposition copies them instead of joining texts anew. */
export function bytesOf(texts: readonly FamilyText[]): SampleBytes {
  const ends: number[] = [];
  let end = 0;
  for (const { text } of texts) {
    end += Buffer.byteLength(text);
    ends.push(end);
  }
  return {
    families: texts.map(({ family }) => family),
    ends,
    bytes: Buffer.from(texts.map(({ text }) => text).join('')),
  };
}

interface Slice {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Each family with its header and all of its samples. */
function* slicesOf(all: readonly SampleBytes[], format: ExpositionFormat): Generator<Slice> {
  const byFamily = new Map<FamilyHeader, SampleBytes[]>();
  for (const samples of all) {
    for (const family of samples.families) {
      const known = byFamily.get(family);
      if (known === undefined) byFamily.set(family, [samples]);
      else known.push(samples);
    }
  }
  for (const [family, those] of byFamily) {
    const header = Buffer.from(headerText(family, format));
    yield { bytes: header, start: 0, end: header.length };
    for (const { bytes, ends, families } of those) {
      const i = families.indexOf(family);
      yield { bytes, start: ends[i - 1] ?? 0, end: ends[i] ?? 0 };
    }
  }
}

/** So many bytes are copied in less than a millisecond. */
const pieceBytes = 256 * 1024;

/** The families as an exposition without its end, in pieces. */
export function* encodeSamples(
  all: readonly SampleBytes[],
  format: ExpositionFormat,
): Generator<Buffer> {
  let piece = Buffer.allocUnsafe(pieceBytes);
  let used = 0;
  for (const { bytes, end, start } of slicesOf(all, format)) {
    if (used + end - start > piece.length) {
      yield piece.subarray(0, used);
      piece = Buffer.allocUnsafe(Math.max(pieceBytes, end - start));
      used = 0;
    }
    used += bytes.copy(piece, used, start, end);
  }
  yield piece.subarray(0, used);
}
