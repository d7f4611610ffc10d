/**
 * The quotas of the international site, which has no DescribeAccountQuota: placement groups and custom images, each by
 * an operation of its own. The quotas of instances cannot be asked for there.
 */
import { z } from 'zod';
import { readFields, type ServiceResponse } from '../../api/response.ts';
import {
  compareQuotas,
  forgetQuotas,
  quotaChangeTexts,
  wholeReading,
} from '../../model/quota-history.ts';
import { defineCollector, type QuotaSources } from '../collector.ts';
import { cvm } from '../services.ts';
import {
  count,
  quota,
  quotaHistory,
  recordSchema,
  snapshotSchema,
  type Stored,
} from '../../model/stored.ts';
import { quotaAccountKeys } from './quota.ts';
import { quotaSets } from './selection.ts';

interface SiteQuota {
  readonly kind: string;
  readonly operation: string;
  readonly type: 'image' | 'disaster_recover_group';
  readonly noun: string;
  readonly quotaSources: QuotaSources;
  /** `used` is `null` if the answer lacks it. */
  read(response: ServiceResponse): { readonly used: number | null; readonly limit: number };
}

function siteQuotaCollector({ kind, operation, quotaSources, type, ...each }: SiteQuota) {
  const stored = recordSchema(operation, {
    target: {},
    counted: { histories: z.array(quotaHistory) },
    snapshot: snapshotSchema({ quota }),
  });
  return defineCollector<Stored<typeof stored>, typeof quotaAccountKeys>({
    kind,
    operation,
    service: cvm,
    noun: each.noun,
    configuration: { account: quotaAccountKeys, region: z.object({}), nothing: '' },
    changeTexts: quotaChangeTexts,
    plan: ({ account, accountKeys, region, site }) =>
      site === 'international' && accountKeys.quota_types.includes(type)
        ? [{ account, region, operation }]
        : [],
    poll: (call, { region }, context) =>
      call(
        { ...cvm, action: operation, region, parameters: [] },
        (response) => {
          const { limit, used } = each.read(response);
          const remaining = used === null ? null : limit - used;
          const { unit } = quotaSets[type];
          return {
            snapshot: {
              missing: [],
              quota: { type, zone: null, unit, used, remaining, limit },
            },
            anomalies: [],
          };
        },
        context,
      ),
    newCounted: { histories: [] },
    forget: (counted) => ({ ...counted, histories: forgetQuotas(counted.histories) }),
    compare: ({ counted, seen }, { quota: read }, nowMs) => {
      const last = seen.snapshot === null ? [] : [seen.snapshot.quota];
      const reading = wholeReading(counted.histories, [read]);
      const { differences, histories } = compareQuotas(counted.histories, last, reading, nowMs);
      return { counted: { ...counted, histories }, differences };
    },
    stored,
    quotaSources,
    quotas: ({ seen }) => (seen.snapshot === null ? [] : [seen.snapshot.quota]),
    reportableQuotas: () => [{ type, zones: [] }],
    histories: ({ counted }) => counted.histories,
    json: ({ quota: { limit, remaining, used } }) => ({ quota_type: type, used, remaining, limit }),
  });
}

const groupAnswer = z.object({ GroupQuota: count, CurrentNum: count });
const imageAnswer = z.object({ ImageNumQuota: count });

export const groupQuotaCollector = siteQuotaCollector({
  kind: 'group-quota',
  operation: 'DescribeDisasterRecoverGroupQuota',
  type: 'disaster_recover_group',
  noun: 'placement groups',
  quotaSources: {
    used: 'CurrentNum of DescribeDisasterRecoverGroupQuota',
    remaining: 'limit less used of DescribeDisasterRecoverGroupQuota',
    limit: 'GroupQuota of DescribeDisasterRecoverGroupQuota',
    limitFields: 'GroupQuota of DescribeDisasterRecoverGroupQuota',
  },
  read: (response) => {
    const { CurrentNum: used, GroupQuota: limit } = readFields(response, groupAnswer);
    return { used, limit };
  },
});

/** The answer has no use, so only the limit is known. */
export const imageQuotaCollector = siteQuotaCollector({
  kind: 'image-quota',
  operation: 'DescribeImageQuota',
  type: 'image',
  noun: 'images',
  quotaSources: {
    used: 'absent for images of the international site',
    remaining: 'absent for images of the international site',
    limit: 'ImageNumQuota of DescribeImageQuota',
    limitFields: 'ImageNumQuota of DescribeImageQuota',
  },
  read: (response) => ({ used: null, limit: readFields(response, imageAnswer).ImageNumQuota }),
});
