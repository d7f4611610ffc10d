/** A strict parser of an exposition. */

export interface ParsedExposition {
  /** Values by series. A series is `name{label="value",…}` with sorted labels. */
  readonly series: ReadonlyMap<string, number>;
  /** Types by family, from its TYPE line. */
  readonly types: ReadonlyMap<string, string>;
}

const samplePattern = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{([^]*)\})? (\S+)$/;
const labelPattern = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/gy;

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
      const [key, value] = parseSample(line, family);
      if (series.has(key)) throw new Error(`exposed twice: ${key}`);
      series.set(key, value);
    }
  }
  return { series, types };
}

function parseSample(line: string, family: string): [string, number] {
  const match = samplePattern.exec(line);
  if (match === null) throw new Error(`not a sample: ${line}`);
  const [, name = '', labels = '', value = ''] = match;
  if (family === '' || !name.startsWith(family)) throw new Error(`${name} is not of ${family}`);
  return [`${name}{${sortedLabels(labels)}}`, Number(value.replace('Inf', 'Infinity'))];
}

function sortedLabels(text: string): string {
  const matches = [...text.matchAll(labelPattern)];
  if (matches.map(([all]) => all).join('') !== text) throw new Error(`not labels: ${text}`);
  const names = matches.map(([, name]) => name);
  if (new Set(names).size !== names.length) throw new Error(`a label stands twice: ${text}`);
  return matches
    .map(([, name, value]) => `${name}="${value}"`)
    .sort()
    .join(',');
}

/** The series of a family with their values, such as `{account="a"}` → 1. */
export function seriesOf({ series }: ParsedExposition, name: string): Record<string, number> {
  return Object.fromEntries(
    [...series]
      .filter(([key]) => key.startsWith(`${name}{`))
      .map(([key, value]) => [key.slice(name.length), value]),
  );
}
