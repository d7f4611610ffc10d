/**
 * The two text formats that Prometheus reads: Prometheus text 0.0.4 and OpenMetrics 1.0.0. They
 * differ in the header of a counter, in the end of the text, and in the media type.
 */
import type { FamilyHeader, FamilyOf } from '../../model/metric-family.ts';

export type ExpositionFormat = 'prometheus' | 'openmetrics';

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

/** Samples as one text: those of `families[i]` are before `ends[i]`. Each family is there once. */
export interface SampleBlock {
  readonly families: readonly FamilyHeader[];
  readonly ends: readonly number[];
  readonly text: string;
}

export function blockOf(texts: readonly FamilyText[]): SampleBlock {
  const ends: number[] = [];
  let end = 0;
  for (const { text } of texts) {
    end += text.length;
    ends.push(end);
  }
  return {
    families: texts.map(({ family }) => family),
    ends,
    // Joined, because V8 keeps a concatenated text as a tree, which needs several times the memory.
    text: texts.map(({ text }) => text).join(''),
  };
}

/** Each family with its header and all of its samples. */
function* familyTexts(blocks: readonly SampleBlock[], format: ExpositionFormat): Generator<string> {
  const byFamily = new Map<FamilyHeader, SampleBlock[]>();
  for (const block of blocks) {
    for (const family of block.families) {
      const known = byFamily.get(family);
      if (known === undefined) byFamily.set(family, [block]);
      else known.push(block);
    }
  }
  for (const [family, those] of byFamily) {
    yield headerText(family, format);
    for (const { ends, families, text } of those) {
      const i = families.indexOf(family);
      yield text.slice(ends[i - 1] ?? 0, ends[i]);
    }
  }
}

/** So much text is encoded in less than a millisecond. */
const pieceLength = 256 * 1024;

/**
 * The families as an exposition, in pieces.
 *
 * @param rest what follows them. Without it, the exposition has no end.
 */
export function* piecesOf(
  blocks: readonly SampleBlock[],
  format: ExpositionFormat,
  rest = '',
): Generator<string> {
  let piece = '';
  for (const text of familyTexts(blocks, format)) {
    piece += text;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece + rest;
}
