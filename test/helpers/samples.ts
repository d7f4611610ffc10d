/** Reads what `/metrics` answers in the Prometheus text format. */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** The samples of one exposition. Labels are matched in part: those that are not named may be anything. */
export class Samples {
  readonly all: readonly Sample[];

  constructor(text: string) {
    this.all = text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map(parseSample);
  }

  /** Those of a name that have these labels. */
  matching(name: string, labels: Labels = {}): readonly Sample[] {
    return this.all.filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
  }

  /** The one value; `undefined` when the series is absent. Throws when the labels fit several. */
  value(name: string, labels: Labels = {}): number | undefined {
    const [sample, ...others] = this.matching(name, labels);
    if (others.length > 0) throw new Error(`${name}: ${others.length + 1} series fit`);
    return sample?.value;
  }

  /** The sum of all values that fit; 0 when there is none. */
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
