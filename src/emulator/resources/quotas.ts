/** The quotas of zones and regions. */
import { z } from 'zod';
import { inCode } from '../input/words.ts';
import { count, placeState, zoneName } from './schema.ts';

const zonalQuotaTypes = ['postpaid', 'prepaid', 'spotpaid'] as const;
const regionalQuotaTypes = ['image', 'disaster_recover_group'] as const;
export const quotaTypes = [...zonalQuotaTypes, ...regionalQuotaTypes] as const;
export type ZonalQuotaType = (typeof zonalQuotaTypes)[number];
export type RegionalQuotaType = (typeof regionalQuotaTypes)[number];
export type QuotaType = (typeof quotaTypes)[number];

export const quota = z.strictObject({
  used: count.default(0).describe('how much is used'),
  limit: count.describe('how much may be used'),
});
export type Quota = z.output<typeof quota>;

const prepaid = inCode(
  quota.extend({
    once_limit: count
      .optional()
      .describe('the most that one purchase may take; the limit when absent'),
  }),
).transform(({ used, limit, onceLimit = limit }) => ({ used, limit, onceLimit }));
/** `onceLimit` is the maximum of one purchase. */
export type PrepaidQuota = z.output<typeof prepaid>;

const group = inCode(
  quota.extend({
    instances_per_group: z
      .strictObject({
        host: count.describe('CvmInHostGroupQuota'),
        switch: count.describe('CvmInSwitchGroupQuota'),
        rack: count.describe('CvmInRackGroupQuota'),
      })
      .default({ host: 50, switch: 20, rack: 30 })
      .describe('the most instances of one group, by the level that it spreads over'),
  }),
);
export type GroupQuota = z.output<typeof group>;

/** The quotas of a zone. A missing type has no row for the zone. */
export const zoneQuotas = {
  postpaid: quota.optional().describe('instances that are paid by the hour'),
  prepaid: prepaid
    .optional()
    .describe('instances that are paid by the month; used is counted by month'),
  spotpaid: quota.optional().describe('counts vCPU cores'),
};
/** The quotas of a region that no zone has. */
export const regionQuotas = {
  image: quota.optional().describe('custom images of the region'),
  disaster_recover_group: group.optional().describe('placement groups of the region'),
};

const zoneContent = z.strictObject({
  name: zoneName.describe('such as ap-guangzhou-3'),
  state: placeState,
  ...zoneQuotas,
});
type ZoneContent = z.output<typeof zoneContent>;
export type ZoneQuotas = Pick<ZoneContent, keyof typeof zoneQuotas>;

export interface Zone extends Readonly<Pick<ZoneContent, 'name' | 'state'>> {
  readonly quotas: {
    readonly postpaid: Quota | null;
    readonly prepaid: PrepaidQuota | null;
    readonly spotpaid: Quota | null;
  };
}

/** A zone with its quotas in one map: `null` for those that it does not have. */
export function zoneOf({ name, state, ...quotas }: ZoneContent): Zone {
  const { postpaid = null, prepaid: monthly = null, spotpaid = null } = quotas;
  return { name, state, quotas: { postpaid, prepaid: monthly, spotpaid } };
}

export const zoneSchema = zoneContent.transform(zoneOf);
