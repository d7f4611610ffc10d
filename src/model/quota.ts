/** A quota as the answers of every kind of target have it: its name, its unit, and its numbers. */
import { z } from 'zod';
import { labelMap, text, zoneOrNull, type Stored } from './stored.ts';

/** The name and unit of a quota. An answer may have no more of it, because its numbers cannot be read. */
export const namedQuotaSchema = z.object({
  /** The type, such as `postpaid`: the `quota_type` label. */
  type: text,
  /** `null` for a quota of the whole region. */
  zone: zoneOrNull,
  /** The counted unit of the three numbers, such as `instances`: the `unit` label. */
  unit: text,
  /** Labels of the resource that the quota limits, such as `subnet_id`. Absent for a quota of the account. */
  labels: labelMap.optional(),
});
export type NamedQuota = Stored<typeof namedQuotaSchema>;

/** A limit, or an amount that is in use. */
export const amount = z.number().nonnegative();

/** One quota: a limit and its use. */
export const quotaSchema = namedQuotaSchema.extend({
  /** May be above the limit, because a limit can be lowered below the present use. `null` while unknown. */
  used: amount.nullable(),
  /** Negative if the quota is overdrawn. `null` while unknown. */
  remaining: z.number().nullable(),
  limit: amount,
  /** The maximum of one purchase. Absent if there is none, `null` if it cannot be read. */
  onceLimit: amount.nullish(),
});
export type Quota = Stored<typeof quotaSchema>;

/** The numbers of a quota whose answer has no `remaining`: computes it. @param used `null` while it is unknown */
export function amountsOf(used: number | null, limit: number) {
  return { used, remaining: used === null ? null : limit - used, limit };
}

/** Identifies a quota in its target. */
export type QuotaName = Pick<Quota, 'type' | 'zone' | 'labels'>;

/** The quotas of one type that a target asks for, and so reports if the account has them. */
export interface ReportableQuotas {
  readonly type: string;
  /** The zones they can have. `null` for any zone of the region, empty for a quota of the whole region. */
  readonly zones: readonly string[] | null;
  /** The resources that they limit, by the values of their labels. Absent for any. */
  readonly resources?: readonly string[];
}

/** Whether a target asks for a quota. A quota of the whole region is asked for whatever the zones. */
export function isReportable(
  reportable: readonly ReportableQuotas[],
  { labels = {}, type, zone }: QuotaName,
): boolean {
  return reportable.some(
    ({ resources, type: askedType, zones }) =>
      askedType === type &&
      (zone === null || zones === null || zones.includes(zone)) &&
      (resources === undefined || Object.values(labels).every((id) => resources.includes(id))),
  );
}

/** The key of a quota in its target: its type, then its zone and the values of its labels, if it has any. */
export function quotaKey({ labels = {}, type, zone }: QuotaName): string {
  return [type, ...(zone === null ? [] : [zone]), ...Object.values(labels)].join('/');
}

/** The name without the other fields of a quota. */
export function quotaNameOf({ labels, type, zone }: QuotaName): QuotaName {
  return { type, zone, ...(labels && { labels }) };
}

/** The schema of a list that refuses a second quota of the same name: its series would be exposed twice. */
export const uniqueQuotas = <Named extends z.ZodType<QuotaName>>(schema: Named) =>
  z.array(schema).refine((quotas) => new Set(quotas.map(quotaKey)).size === quotas.length);
