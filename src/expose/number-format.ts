/** Numbers in the form that people read. */

const wholeNumbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `1,250`, or `–` while it is unknown. */
export function figure(value: number | null): string {
  if (value === null) return '–';
  return wholeNumbers.format(value);
}

/** `1 target`, `2 targets`. */
export function counted(count: number, noun: string): string {
  return `${figure(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * A share as `12 %`, rounded down, so that a share just below a threshold never looks equal to it. `–` while it is unknown.
 */
export function percent(part: number | null, whole: number): string {
  if (part === null) return '–';
  const value = Math.floor((part * 100) / whole);
  return value === 0 && part > 0 ? '<1 %' : `${value} %`;
}
