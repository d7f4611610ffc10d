/** Reads the answer of `/metrics` in the Prometheus text format. */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** The samples of one exposition. A query names some labels. Other labels can have any value. */
export class Samples {
  readonly all: readonly Sample[];

  constructor(text: string) {
    this.all = text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map(parseSample);
  }

  /** The samples with this name and these labels. */
  matching(name: string, labels: Labels = {}): readonly Sample[] {
    return this.all.filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
  }

  /** The only matching value. `undefined` when there is none. Throws when several match. */
  value(name: string, labels: Labels = {}): number | undefined {
    const [sample, ...others] = this.matching(name, labels);
    if (others.length > 0) throw new Error(`${name}: ${others.length + 1} series fit`);
    return sample?.value;
  }

  /** The sum of all matching values. 0 when there is none. */
  sum(name: string, labels: Labels = {}): number {
    return this.matching(name, labels).reduce((sum, { value }) => sum + value, 0);
  }
}

const samplePattern = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{([^]*)\})? (\S+)$/;
const labelPattern = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/gy;

function parseSample(line: string): Sample {
  const match = samplePattern.exec(line);
  if (match === null) throw new Error(`not a sample: ${line}`);
  const [, name = '', text = '', value = ''] = match;
  const labels: Record<string, string> = {};
  let length = 0;
  for (const [pair, label = '', escaped = ''] of text.matchAll(labelPattern)) {
    if (label in labels) throw new Error(`a label stands twice: ${text}`);
    labels[label] = escaped.replaceAll(/\\(.)/g, (_, unit: string) => (unit === 'n' ? '\n' : unit));
    length += pair.length;
  }
  if (length !== text.length) throw new Error(`not labels: ${text}`);
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}

export interface ParsedExposition {
  /** Values by series. A series is `name{label="value",…}` with sorted labels. */
  readonly series: ReadonlyMap<string, number>;
  /** Types by family, from its TYPE line. */
  readonly types: ReadonlyMap<string, string>;
}

/**
 * Parses both text formats. It throws for mistakes that Prometheus and promtool accept: a series that is
 * exposed twice, a family in several blocks, a sample without a TYPE line before it.
 */
export function parseExposition(text: string): ParsedExposition {
  const series = new Map<string, number>();
  const types = new Map<string, string>();
  let family = '';
  for (const line of text.split('\n')) {
    if (line === '' || line === '# EOF') continue;
    const type = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (type !== null) {
      family = type[1] ?? '';
      if (types.has(family)) throw new Error(`the family ${family} stands apart`);
      types.set(family, type[2] ?? '');
    } else if (!line.startsWith('# HELP ')) {
      const { name, labels, value } = parseSample(line);
      if (family === '' || !name.startsWith(family)) throw new Error(`${name} is not of ${family}`);
      const pairs = Object.entries(labels).map(([label, each]) => `${label}="${escape(each)}"`);
      const key = `${name}{${pairs.toSorted().join(',')}}`;
      if (series.has(key)) throw new Error(`exposed twice: ${key}`);
      series.set(key, value);
    }
  }
  return { series, types };
}

const escape = (value: string) =>
  value.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`);

/** The series of a family with their values, such as `{account="a"}` → 1. */
export function seriesOf({ series }: ParsedExposition, name: string): Record<string, number> {
  return Object.fromEntries(
    [...series]
      .filter(([key]) => key.startsWith(`${name}{`))
      .map(([key, value]) => [key.slice(name.length), value]),
  );
}
