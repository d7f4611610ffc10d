/** One quota: a limit and its use. It has the same form for every kind of target. */
export interface Quota {
  /** The type, such as `postpaid`: the `quota_type` label. */
  readonly type: string;
  /** `null` for a quota of the whole region. */
  readonly zone: string | null;
  /** The counted unit of the three numbers, such as `instances`: the `unit` label. */
  readonly unit: string;
  /** May be above the limit, because a limit can be lowered below the present use. */
  readonly used: number;
  /** Negative if the quota is overdrawn. */
  readonly remaining: number;
  readonly limit: number;
}

/** Identifies a quota in its target: its type, and its zone if it has one. */
export function quotaKey({ type, zone }: Pick<Quota, 'type' | 'zone'>): string {
  return zone === null ? type : `${type}/${zone}`;
}
