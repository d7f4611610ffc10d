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

function parseSample(line: string): Sample {
  const [, name, labels = '', value] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined) throw new Error(`not a sample: ${line}`);
  return { name, labels: parseLabels(labels), value: Number(value?.replace('Inf', 'Infinity')) };
}

function parseLabels(text: string): Labels {
  const pairs = text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g);
  const labels: Record<string, string> = {};
  for (const [, label = '', value = ''] of pairs) labels[label] = unescape(value);
  return labels;
}

function unescape(value: string): string {
  return value.replaceAll(/\\(.)/g, (_match, unit: string) => (unit === 'n' ? '\n' : unit));
}
