/** One quota: a limit and its use. It has the same form for every kind of target. */
export interface Quota {
  /** The type, such as `postpaid`: the `quota_type` label. */
  readonly type: string;
  /** `null` for a quota of the whole region. */
  readonly zone: string | null;
  /** The counted unit of the three numbers, such as `instances`: the `unit` label. */
  readonly unit: string;
  /** Labels of the resource that it limits, such as `subnet_id`. Absent for a quota of the account. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** May be above the limit, because a limit can be lowered below the present use. `null` while unknown. */
  readonly used: number | null;
  /** Negative if the quota is overdrawn. `null` while unknown. */
  readonly remaining: number | null;
  readonly limit: number;
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
