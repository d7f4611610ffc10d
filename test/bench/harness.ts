/** What every measurement is made of: rounds, medians, and findings that a goal is held against. */
import type { Workbench } from './workbench.ts';

/** A bound that a finding must keep. */
export interface Goal {
  readonly bound: 'at least' | 'at most';
  readonly value: number;
  /** What the value counts, such as `ms`; a ratio when absent. */
  readonly unit?: string;
}

/** One line of the table. */
export interface Finding {
  readonly what: string;
  /** Our figure. */
  readonly ours: string;
  /** What our figure stands beside; empty when there is nothing but the goal. */
  readonly beside: string;
  /**
   * What the goal is about, one for each round: a ratio of the two sides, or our figure itself. Only one
   * where the goal is about all rounds together.
   */
  readonly values: readonly number[];
  /** Absent for a part of another row: what that row cannot do without. */
  readonly goal?: Goal;
}

/** How thoroughly to measure. */
export interface Effort {
  readonly rounds: number;
  /** How long one side is put under load in one round. */
  readonly secondsPerRound: number;
  /** Shrinks a number of series or targets, for a run that only shows that the bench works. */
  readonly sized: (count: number) => number;
}

export interface Measurement {
  /** As in `--only=NAME`. */
  readonly name: string;
  readonly run: (effort: Effort, workbench: Workbench) => Promise<readonly Finding[]>;
}

export const fullEffort: Effort = { rounds: 5, secondsPerRound: 2, sized: (count) => count };
export const smokeEffort: Effort = {
  rounds: 1,
  secondsPerRound: 0.5,
  sized: (count) => Math.ceil(count / 50),
};

/** What is held against the goal. */
export function resultOf({ values }: Finding): number {
  return median(values);
}

export function isMet(finding: Finding): boolean {
  if (finding.goal === undefined) return true;
  const { bound, value } = finding.goal;
  return bound === 'at least' ? resultOf(finding) >= value : resultOf(finding) <= value;
}

/** Whether the result is within 5 % of the goal: another run may miss what this one meets, or meet it. */
export function isClose(finding: Finding): boolean {
  if (finding.goal === undefined) return false;
  const { value } = finding.goal;
  return Math.abs(resultOf(finding) - value) < 0.05 * value;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? NaN;
  const high = sorted[Math.floor(middle)] ?? NaN;
  return (low + high) / 2;
}

/**
 * Measures each side once to warm it up, then once in every round, all sides in turn, so that what
 * disturbs the machine disturbs them all. A single round only shows that the bench works, and is not warmed up.
 *
 * @returns for each side what its rounds gave
 */
export async function interleave<Side extends string, Result>(
  rounds: number,
  sides: Readonly<Record<Side, () => Promise<Result>>>,
): Promise<Record<Side, Result[]>> {
  const names = Object.keys(sides) as Side[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Side,
    Result[]
  >;
  if (rounds > 1) for (const name of names) await sides[name]();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) results[name].push(await sides[name]());
  }
  return results;
}

/** The figures of two sides in the same rounds, in one unit. */
export interface Comparison {
  readonly what: string;
  readonly unit: string;
  readonly ours: readonly number[];
  readonly besideName: string;
  readonly beside: readonly number[];
  readonly goal?: Goal;
}

/** What two sides gave, with the ratio of ours to theirs in each round. */
export function compare(comparison: Comparison): Finding {
  const { what, unit, ours, besideName, beside, goal } = comparison;
  return {
    what,
    ours: figure(median(ours), unit),
    beside: `${besideName} ${figure(median(beside), unit)}`,
    values: pairedRatios(ours, beside),
    ...(goal && { goal }),
  };
}

/** The ratio of ours to theirs in each round: what disturbs a whole round cancels out. */
export function pairedRatios(ours: readonly number[], beside: readonly number[]): number[] {
  return ours.map((value, round) => value / (beside[round] ?? NaN));
}

/** A count with thousands apart. */
export function grouped(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** A figure with three significant digits and its unit. */
export function figure(value: number, unit: string): string {
  const digits = Math.abs(value) >= 100 ? grouped(value) : String(Number(value.toPrecision(3)));
  return `${digits} ${unit}`;
}
