/** A quota as answers of every kind have it: its name, its unit, and its numbers. */
import { z } from 'zod';
import { labels, text, zone, type Stored } from './stored.ts';

/** The fields that name a quota, for the schemas of quotas and of what is remembered of them. */
export const quotaNameFields = {
  /** The type, such as `postpaid`: the `quota_type` label. */
  type: text,
  /** `null` for a quota of the whole region. */
  zone,
  /** The counted unit of the three numbers, such as `instances`: the `unit` label. */
  unit: text,
  /** Labels of the resource that it limits, such as `subnet_id`. Absent for a quota of the account. */
  labels: labels.optional(),
};

/** A limit, or an amount that is in use. */
export const amount = z.number().nonnegative();
/** The fields with the use of a quota. */
export const useFields = {
  /** May be above the limit, because a limit can be lowered below the present use. `null` while unknown. */
  used: amount.nullable(),
  /** Negative if the quota is overdrawn. `null` while unknown. */
  remaining: z.number().nullable(),
};

/** One quota: a limit and its use. It has the same form for every kind of target. */
export const quota = z.object({
  ...quotaNameFields,
  ...useFields,
  limit: amount,
  /** The maximum of one purchase. Absent or `null` if there is none, or if it is unknown. */
  onceLimit: amount.nullish(),
});
export type Quota = Stored<typeof quota>;

/** What identifies a quota in its target. */
export type QuotaName = Pick<Quota, 'type' | 'zone' | 'labels'>;

/** The quotas of one type that a target asks for. */
export interface ReportableQuotas {
  readonly type: string;
  /** The zones they can have. `null` for any zone of the region, empty for a quota of the whole region. */
  readonly zones: readonly string[] | null;
  /** The resources that they limit, by the values of their labels. Absent for any. */
  readonly resources?: readonly string[];
}

/** Whether a quota is one of those. */
export function isReportable(
  reportable: readonly ReportableQuotas[],
  { labels: resource = {}, type, zone: place }: QuotaName,
): boolean {
  return reportable.some(
    ({ resources, zones, ...each }) =>
      each.type === type &&
      (place === null || (zones?.includes(place) ?? true)) &&
      Object.values(resource).every((id) => resources?.includes(id) ?? true),
  );
}

/** A quota that an answer names. */
export const namedQuota = z.object(quotaNameFields);
export type NamedQuota = Stored<typeof namedQuota>;

/** Identifies a quota in its target: its type, and its zone and the labels of its resource if it has any. */
export function quotaKey({ type, zone: place, labels: resource }: QuotaName): string {
  return [type, ...(place === null ? [] : [place]), ...Object.values(resource ?? {})].join('/');
}

export function quotaNameOf({ type, zone: place, labels: resource }: QuotaName): QuotaName {
  return { type, zone: place, ...(resource && { labels: resource }) };
}

/** A list that has each quota once: the series of a quota that is there twice would be exposed twice. */
export const eachOnce = <Named extends z.ZodType<QuotaName>>(named: Named) =>
  z.array(named).refine((all) => new Set(all.map(quotaKey)).size === all.length);
