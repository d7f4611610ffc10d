/** Rounds, and the table of what they gave. */
import { cpus, totalmem } from 'node:os';

/** One line of the table. */
export interface Row {
  readonly what: string;
  /** Such as `ms`. */
  readonly unit: string;
  /** Our figure in each round. */
  readonly ours: readonly number[];
  /** What it is compared with in the same rounds; the result is then the ratio. */
  readonly beside?: { readonly name: string; readonly values: readonly number[] };
  readonly goal?: { readonly bound: 'at least' | 'at most'; readonly value: number };
}

/** A row whose result may not be above its goal. */
export function atMost(value: number, row: Omit<Row, 'goal'>): Row {
  return { ...row, goal: { bound: 'at most', value } };
}

const fewestRounds = 5;
const mostRounds = 9;

/**
 * Measures each side once to warm it up, then once in every round, all sides in turn, so that what
 * disturbs the machine disturbs them all. Adds rounds while the rounds of a side differ much.
 */
export async function rounds<Side extends string>(
  sides: Readonly<Record<Side, () => Promise<number>>>,
): Promise<Record<Side, number[]>> {
  const names = Object.keys(sides) as Side[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Side,
    number[]
  >;
  for (const name of names) await sides[name]();
  const isEnough = (count: number) =>
    count >= mostRounds ||
    (count >= fewestRounds && names.every((name) => isStable(results[name])));
  for (let round = 0; !isEnough(round); round += 1) {
    for (const name of names) results[name].push(await sides[name]());
  }
  return results;
}

/** Whether the middle half of the rounds lies within 15 %. */
function isStable(values: readonly number[]): boolean {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? NaN;
  return at(0.75) <= 1.15 * at(0.25);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** One for each round: a ratio cancels out what disturbs the whole round. */
function valuesOf({ ours, beside }: Row): number[] {
  return ours.map((value, round) => value / (beside === undefined ? 1 : beside.values[round]!));
}

export function isMet(row: Row): boolean {
  if (row.goal === undefined) return true;
  const result = median(valuesOf(row));
  return row.goal.bound === 'at least' ? result >= row.goal.value : result <= row.goal.value;
}

/** A table in Markdown, aligned for a terminal. */
export function formatTable(table: readonly Row[]): string {
  const header = ['what', 'figure', 'beside', 'result', 'rounds', 'goal'];
  const cells = table.map((row) => {
    const { what, unit, ours, beside, goal } = row;
    const values = valuesOf(row);
    const missed = isMet(row) ? '' : ', missed';
    const resultUnit = beside === undefined ? ` ${unit}` : '';
    return [
      what,
      `${digits(median(ours))} ${unit}`,
      beside === undefined ? '' : `${beside.name}: ${digits(median(beside.values))} ${unit}`,
      beside === undefined ? '' : digits(median(values)),
      values.length === 1 ? '' : `${digits(Math.min(...values))} to ${digits(Math.max(...values))}`,
      goal === undefined ? '' : `${goal.bound} ${digits(goal.value)}${resultUnit}${missed}`,
    ];
  });
  const widths = header.map((_, i) =>
    Math.max(3, ...[header, ...cells].map((row) => row[i]!.length)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
  const dashes = widths.map((width) => '-'.repeat(width));
  return [line(header), line(dashes), ...cells.map(line)].join('\n');
}

function digits(value: number): string {
  return value >= 100
    ? Math.round(value).toLocaleString('en-US')
    : String(Number(value.toPrecision(3)));
}

export function describeMachine(): string {
  const [cpu, ...others] = cpus();
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  const day = new Date().toISOString().slice(0, 10);
  return `${others.length + 1} cores (${cpu?.model.trim()}), ${memoryGiB} GiB, Node ${process.versions.node}, ${day}`;
}
