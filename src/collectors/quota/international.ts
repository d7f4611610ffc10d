/**
 * The two kinds for the quotas of the international site, which has no DescribeAccountQuota: placement groups and
 * custom images, each by an operation of its own. The quotas of instances cannot be asked for there. `quota.ts` is for
 * the domestic site.
 */
import { z } from 'zod';
import { readFields } from '../../api/response.ts';
import { snapshotSchema } from '../../model/poll-outcome.ts';
import { amountsOf, uniqueQuotas, quotaSchema } from '../../model/quota.ts';
import { recordSchema } from '../../model/record.ts';
import { count, type Stored } from '../../model/stored.ts';
import { defineCollector, type Collector } from '../collector.ts';
import { quotaSets } from './answer.ts';
import { quotaAccountKeys } from './quota.ts';

interface RegionQuota extends Pick<Collector, 'kind' | 'operation' | 'noun' | 'quotaSources'> {
  readonly type: 'image' | 'disaster_recover_group';
  /** Reads the quota from an answer. `used` is `null` if the operation does not report it. */
  readonly answerSchema: z.ZodType<{ used: number | null; limit: number }>;
}

const configuration = { account: quotaAccountKeys, region: z.object({}) };

const stored = recordSchema({
  target: {},
  durable: {},
  snapshot: snapshotSchema({ quotas: uniqueQuotas(quotaSchema) }),
});

/** Makes the collector of one quota, which has no zone. */
function internationalQuotaCollector({ answerSchema, type, ...members }: RegionQuota) {
  return defineCollector<Stored<typeof stored>, typeof configuration>({
    ...members,
    configuration,
    plan: ({ accountKeys, site, target }) =>
      site === 'international' && accountKeys.quota_types.includes(type) ? [target] : [],
    poll: (ask) =>
      ask([], (response) => {
        const { limit, used } = readFields(response, answerSchema);
        const { unit } = quotaSets[type];
        const quotas = [{ type, zone: null, unit, ...amountsOf(used, limit) }];
        return { snapshot: { missing: [], quotas }, anomalies: [] };
      }),
    stored,
    reportableQuotas: () => [{ type, zones: [] }],
    json: ({ quotas: [quota] }) => {
      const { limit = null, remaining = null, used = null } = quota ?? {};
      return { quota_type: type, used, remaining, limit };
    },
  });
}

export const groupQuotaCollector = internationalQuotaCollector({
  kind: 'group-quota',
  operation: 'DescribeDisasterRecoverGroupQuota',
  type: 'disaster_recover_group',
  noun: 'placement groups',
  quotaSources: {
    used: 'CurrentNum of DescribeDisasterRecoverGroupQuota',
    remaining: 'limit less used of DescribeDisasterRecoverGroupQuota',
    limit: 'GroupQuota of DescribeDisasterRecoverGroupQuota',
  },
  answerSchema: quotaSets.disaster_recover_group.rowSchema,
});

/** The answer does not report usage, so only the limit is known. */
export const imageQuotaCollector = internationalQuotaCollector({
  kind: 'image-quota',
  operation: 'DescribeImageQuota',
  type: 'image',
  noun: 'images',
  quotaSources: {
    used: 'absent for images of the international site',
    remaining: 'absent for images of the international site',
    limit: 'ImageNumQuota of DescribeImageQuota',
  },
  answerSchema: z
    .object({ ImageNumQuota: count })
    .transform(({ ImageNumQuota: limit }) => ({ used: null, limit })),
});
