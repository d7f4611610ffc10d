/** What every measurement is made of: rounds, medians, and findings that a goal is held against. */
import type { Surroundings } from './surroundings.ts';

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
  /** What the goal is about: a ratio of the two, or our figure itself. */
  readonly value: number;
  readonly goal: Goal;
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
  readonly run: (effort: Effort, surroundings: Surroundings) => Promise<readonly Finding[]>;
}

export const fullEffort: Effort = { rounds: 5, secondsPerRound: 2, sized: (count) => count };
export const smokeEffort: Effort = {
  rounds: 1,
  secondsPerRound: 0.5,
  sized: (count) => Math.ceil(count / 50),
};

export function isMet({ value, goal }: Finding): boolean {
  return goal.bound === 'at least' ? value >= goal.value : value <= goal.value;
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
 * disturbs the machine disturbs them all.
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
  for (const name of names) await sides[name]();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) results[name].push(await sides[name]());
  }
  return results;
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
