import type { quota, Stored } from './stored.ts';

/** One quota: a limit and its use. It has the same form for every kind of target. */
export interface Quota extends Stored<typeof quota> {
  /** The maximum of one purchase. Absent or `null` if there is none, or if it is unknown. */
  readonly onceLimit?: number | null | undefined;
}

/** What identifies a quota in its target. */
export type QuotaName = Pick<Quota, 'type' | 'zone' | 'labels'>;

/** Identifies a quota in its target: its type, and its zone and the labels of its resource if it has any. */
export function quotaKey({ type, zone, labels }: QuotaName): string {
  if (labels !== undefined) return [type, zone ?? '', ...Object.values(labels)].join('/');
  return zone === null ? type : `${type}/${zone}`;
}
