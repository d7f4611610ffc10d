/** The kind for the quotas of an account in a region: DescribeAccountQuota of the domestic site. */
import { z } from 'zod';
import { snapshotGauge } from '../../model/metric-family.ts';
import { recordSchema, type TargetRecord } from '../../model/record.ts';
import type { Stored } from '../../model/stored.ts';
import { defineCollector, type CollectorConfiguration } from '../collector.ts';
import { uniqueNames, zoneKeys, zoneProblems } from '../keys.ts';
import {
  quotaSelection,
  quotaSets,
  quotaSnapshot,
  quotaTypes,
  readQuotas,
  selectionFilters,
} from './answer.ts';

const stored = recordSchema({
  target: { selection: quotaSelection },
  durable: {},
  snapshot: quotaSnapshot,
});

export type QuotaRecord = Stored<typeof stored>;

/** For commands that read the quotas of an account from its records. False for the quotas of the international site. */
export const isQuotaRecord = (record: TargetRecord): record is QuotaRecord =>
  record.target.operation === quotaCollector.operation;

/** The key `quota_types` of an account, which also the kinds of the international site read. */
export const quotaAccountKeys = z.object({
  quota_types: uniqueNames('quota type', z.enum(quotaTypes))
    .default([...quotaTypes])
    .describe('The quota types that are watched. Default: all. An empty list means none.'),
});

const configuration = {
  account: quotaAccountKeys,
  region: zoneKeys,
  discoveredRegions: z.object({}),
  emptyReason: 'quota_types is empty',
} satisfies CollectorConfiguration;

/** The levels of placement groups, as `instanceLimits` has them. */
const levels = ['host', 'switch', 'rack'] as const;

export const quotaCollector = defineCollector<QuotaRecord, typeof configuration>({
  kind: 'quota',
  operation: 'DescribeAccountQuota',
  noun: 'quotas',
  isLaunchPart: true,
  configuration,
  regionProblems: (name, { zones }) => zoneProblems(name, zones),
  plan: ({ site, target, accountKeys: { quota_types }, regionKeys: { zones = null } }) => {
    const types = quotaTypes.filter((type) => quota_types.includes(type));
    // The international site has other operations.
    if (types.length === 0 || site === 'international') return [];
    return [{ ...target, selection: { quotaTypes: types, zones } }];
  },
  details: ({ selection: { zones } }) => (zones === null ? '' : `zones ${zones.join(', ')}`),
  poll: (ask, { target }) =>
    ask(selectionFilters(target.selection), (response) => readQuotas(response, target)),
  // Each type is compared by itself: an unreadable row hides nothing of another type. `used` is not compared: it
  // changes all the time, and at the start of a month prepaid `used` falls to 0 (docs/service.md, section 5).
  compare: (_record, { unreadable, whole }) => ({
    quotas: { unreadable, wholeSets: whole, setOf: ({ type }) => type },
  }),
  stored,
  families: [
    snapshotGauge(
      'cvm_quota_once_limit',
      'The maximum of one purchase: OnceQuota of DescribeAccountQuota, prepaid only.',
      ({ quotas }) =>
        quotas.map(({ type, zone, unit, onceLimit: value }) => {
          return { labels: { zone, quota_type: type, unit }, value };
        }),
      ['zone', 'quota_type', 'unit'],
    ),
    snapshotGauge(
      'cvm_disaster_recover_group_instance_limit',
      'The maximum number of instances in one placement group of a level: CvmInHostGroupQuota, CvmInSwitchGroupQuota and CvmInRackGroupQuota of DescribeAccountQuota.',
      ({ quotas }) =>
        quotas.flatMap(({ instanceLimits }) =>
          levels.map((level) => ({ labels: { level }, value: instanceLimits?.[level] })),
        ),
      ['level'],
    ),
    snapshotGauge(
      'cvm_account_info',
      'Always 1; app_id is AppId of DescribeAccountQuota.',
      ({ appId = null }) => [{ labels: { app_id: appId }, value: appId === null ? null : 1 }],
      ['app_id'],
    ),
  ],
  quotaSources: {
    used: 'UsedQuota (CurrentNum for disaster_recover_group) of DescribeAccountQuota. prepaid counts from the start of the month',
    remaining:
      'RemainingQuota of DescribeAccountQuota; limit less used for image and disaster_recover_group',
    limit: 'TotalQuota (GroupQuota for disaster_recover_group) of DescribeAccountQuota',
  },
  reportableQuotas: ({ selection: { quotaTypes: types, zones } }) =>
    types.map((type) => ({ type, zones: quotaSets[type].isZonal ? zones : [] })),
  quotaNames: {
    postpaid: 'pay-as-you-go instances',
    prepaid: 'monthly instances',
    spotpaid: 'spot vCPUs',
    disaster_recover_group: 'placement groups',
    image: 'custom images',
  },
  quotaNote: ({ type }) => (type === 'prepaid' ? 'used this month' : ''),
  json: ({ appId = null, quotas }) => ({
    app_id: appId,
    quotas: quotas.map(({ limit, onceLimit, remaining, type, unit, used, zone }) => {
      const amounts = { used, remaining, limit, once_limit: onceLimit ?? null };
      return { quota_type: type, zone, unit, ...amounts };
    }),
    disaster_recover_group_instance_limits:
      quotas.find(({ instanceLimits }) => instanceLimits)?.instanceLimits ?? null,
  }),
});
