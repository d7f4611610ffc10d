/** Numbers and quotas in the words that people read, for page and terminal. */
import { isOverdrawn } from '../model/judgement.ts';
import type { QuotaRow } from './evaluated-record.ts';

const wholeNumbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `1,250`, or `–` while it is unknown. */
export function figure(value: number | null): string {
  return value === null ? '–' : wholeNumbers.format(value);
}

/** `1 target`, `2 targets`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${figure(count)} ${count === 1 ? noun : plural}`;
}

/** The first texts, and how many more there are. */
export function shortened(texts: readonly string[], max: number): readonly string[] {
  const more = texts.length - max;
  return more > 0 ? [...texts.slice(0, max), `and ${figure(more)} more`] : texts;
}

/** The zone, whose name begins with that of its region. For a quota without a zone, the region. */
export function whereOf({ quota, evaluated }: QuotaRow): string {
  return quota.zone ?? evaluated.record.target.region;
}

/**
 * The remaining share as `12 %`, rounded down, so that a share just below a threshold never looks equal to it. A dash if
 * it is unknown or there is no limit.
 */
export function shareText({ quota: { limit, remaining }, remainingShare }: QuotaRow): string {
  if (remainingShare === null || remaining === null) return '–';
  const value = Math.floor((remaining * 100) / limit);
  return value === 0 && remaining > 0 ? '<1 %' : `${value} %`;
}

/** `4 of 199 vcpus left (2 %)`. */
export function leftText(row: QuotaRow): string {
  const { limit, remaining, unit, used } = row.quota;
  if (isOverdrawn(row.quota)) {
    return `overdrawn, ${figure(used)} of ${figure(limit)} ${unit} in use`;
  }
  if (remaining === null) return `limit ${figure(limit)} ${unit}, use unknown`;
  return `${figure(remaining)} of ${figure(limit)} ${unit} left (${shareText(row)})`;
}
