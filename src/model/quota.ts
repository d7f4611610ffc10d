/** One quota: how much of something may be used. It has the same form for every kind of target. */
export interface Quota {
  /** What may be used, such as `postpaid`: the `quota_type` label. */
  readonly type: string;
  /** `null` for a quota of the whole region. */
  readonly zone: string | null;
  /** What the three numbers count, such as `instances`: the `unit` label. */
  readonly unit: string;
  /** May be above the limit, because a limit can be lowered below the present use. */
  readonly used: number;
  /** Negative where the quota is overdrawn. */
  readonly remaining: number;
  readonly limit: number;
}

/** Identifies a quota within its target: its type, and its zone where it has one. */
export function quotaKey({ type, zone }: Pick<Quota, 'type' | 'zone'>): string {
  return zone === null ? type : `${type}/${zone}`;
}
