/** The quotas of an account in a region: DescribeAccountQuota. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Comparison } from '../../model/advance.ts';
import { gauges, type Family } from '../../model/metric-family.ts';
import { quotaKey, type QuotaName } from '../../model/quota.ts';
import {
  compareQuotas,
  forgetQuotas,
  keepSelected,
  quotaChangeTexts,
} from '../../model/quota-history.ts';
import type { TargetRecord } from '../../model/record.ts';
import { uniqueBy } from '../../validation/unique.ts';
import { cvm } from '../services.ts';
import { defineCollector, type RegionProblem } from '../collector.ts';
import { zoneName } from '../place-names.ts';
import { boundedMissing } from '../rows.ts';
import { quotaHistory, recordSchema, type Stored } from '../../model/stored.ts';
import { quotaSnapshot, readQuotas, type QuotaSnapshot } from './answer.ts';
import {
  filtersOf,
  isQuotaSelected,
  isZoneSelected,
  quotaSelection,
  quotaSets,
  quotaTypes,
} from './selection.ts';

const operation = 'DescribeAccountQuota';

/** Refuses a record with the same quota twice: its series would be exposed twice. */
const isUnique = (quotas: readonly QuotaName[]) =>
  new Set(quotas.map(quotaKey)).size === quotas.length;

const storedQuotaRecord = recordSchema(operation, {
  target: { selection: quotaSelection },
  counted: {
    /**
     * The selected types with a whole set under the selected zones. A quota of them that was not there is new.
     * `null` before the first success.
     */
    compared: quotaSelection.nullable(),
    /** The quotas of the snapshot in its order, then absent ones. */
    histories: z.array(quotaHistory).refine(isUnique),
  },
  snapshot: quotaSnapshot.refine(({ quotas }) => isUnique(quotas)),
});

export type QuotaRecord = Stored<typeof storedQuotaRecord>;
export type QuotaTarget = QuotaRecord['target'];

export const isQuotas = (record: TargetRecord): record is QuotaRecord =>
  record.target.operation === operation;

/** Keys of the quotas of both sites. */
export const quotaAccountKeys = z.object({
  quota_types: z
    .array(z.enum(quotaTypes))
    .check(uniqueBy('quota type', (type) => type))
    .default([...quotaTypes])
    .describe('The quota types that are watched. Default: all. An empty list means none.'),
});

/** `zones` is a key of launches, too. */
export const quotaRegionKeys = z.object({
  zones: z
    .array(zoneName)
    .min(1, { error: 'name at least one zone, or omit the key for all zones' })
    .check(uniqueBy('zone', (zone) => zone))
    .optional()
    .describe('The zones that are watched. Default: all.'),
});

/** Refuses a zone that cannot belong to its region: no answer would ever hold it. */
function zoneProblems(
  name: string,
  { zones = [] }: z.output<typeof quotaRegionKeys>,
): readonly RegionProblem[] {
  const message = `is not a zone of ${name}; its zones begin with ${name}-`;
  return zones.flatMap((zone, i) =>
    zone.startsWith(`${name}-`) ? [] : [{ path: ['zones', i], message }],
  );
}

/**
 * Compares the quotas of a region with the known ones, each set by itself: an unreadable row hides nothing in
 * another set. `used` is not compared: it changes all the time, and at the start of a month prepaid `used` falls to
 * 0 (docs/service.md, section 5).
 */
function compare(
  { counted, seen, target: { selection } }: QuotaRecord,
  { quotas, rows }: QuotaSnapshot,
  nowMs: number,
): Comparison<QuotaRecord['counted']> {
  const { compared } = counted;
  const whole = new Set<string>(
    rows.filter(({ unidentified }) => unidentified === 0).map(({ type }) => type),
  );
  const readable = new Set(quotas.map(quotaKey));
  const named = rows.flatMap(({ type, names }) =>
    names.map((name) => ({ type, zone: name === '' ? null : name, unit: quotaSets[type].unit })),
  );
  const { missing, ...found } = compareQuotas(
    counted.histories,
    seen.snapshot?.quotas ?? [],
    {
      quotas,
      unreadable: named.filter((quota) => !readable.has(quotaKey(quota))),
      isWhole: ({ type }) => whole.has(type),
      wasAsked: (quota) => compared !== null && isQuotaSelected(compared, quota),
    },
    nowMs,
  );
  const before = isDeepStrictEqual(compared?.zones, selection.zones) ? compared?.quotaTypes : [];
  const types = selection.quotaTypes.filter((type) => whole.has(type) || before?.includes(type));
  return {
    counted: {
      ...counted,
      compared: { zones: selection.zones, quotaTypes: types },
      histories: found.histories,
    },
    differences: found.differences,
    missing: boundedMissing(missing),
  };
}

/** Quotas that are no longer selected are removed from the snapshot. Their counters are kept. */
function continueRecord({ counted, seen }: QuotaRecord, next: QuotaTarget): QuotaRecord {
  const { quotaTypes: types, zones } = next.selection;
  const isSelected = (quota: QuotaName) => isQuotaSelected(next.selection, quota);
  const { compared } = counted;
  const { snapshot } = seen;
  return {
    target: next,
    counted: {
      ...counted,
      compared: compared && {
        quotaTypes: compared.quotaTypes.filter((type) => types.includes(type)),
        zones: compared.zones?.filter((zone) => isZoneSelected(next.selection, zone)) ?? zones,
      },
      histories: keepSelected(counted.histories, isSelected),
    },
    seen: {
      ...seen,
      snapshot: snapshot && {
        ...snapshot,
        quotas: snapshot.quotas.filter(isSelected),
        groupInstanceLimits: types.includes('disaster_recover_group')
          ? snapshot.groupInstanceLimits
          : null,
      },
    },
  };
}

const levels = ['host', 'switch', 'rack'] as const;

const families: readonly Family<QuotaRecord>[] = [
  gauges(
    'cvm_quota_once_limit',
    'The maximum of one purchase: OnceQuota of DescribeAccountQuota, prepaid only.',
    ({ quotas }) =>
      quotas.flatMap(({ type, zone, unit, onceLimit }) =>
        onceLimit === null ? [] : [{ labels: { zone, quota_type: type, unit }, value: onceLimit }],
      ),
    ['zone', 'quota_type', 'unit'],
  ),
  gauges(
    'cvm_disaster_recover_group_instance_limit',
    'The maximum number of instances in one placement group of a level: CvmInHostGroupQuota, CvmInSwitchGroupQuota and CvmInRackGroupQuota of DescribeAccountQuota.',
    ({ groupInstanceLimits: limits }) =>
      levels.flatMap((level) => {
        const value = limits?.[level] ?? null;
        return value === null ? [] : [{ labels: { level }, value }];
      }),
    ['level'],
  ),
  gauges(
    'cvm_account_info',
    'Always 1; app_id is AppId of DescribeAccountQuota, and the labels of the account come from the configuration.',
    ({ appId }, { accountLabels }) =>
      appId === null ? [] : [{ labels: { app_id: appId, ...accountLabels }, value: 1 }],
    ['app_id'],
  ),
];

export const quotaCollector = defineCollector<
  QuotaRecord,
  typeof quotaAccountKeys,
  typeof quotaRegionKeys
>({
  kind: 'quota',
  operation,
  service: cvm,
  noun: 'quotas',
  configuration: {
    account: quotaAccountKeys,
    region: quotaRegionKeys,
    everyRegion: z.object({}),
    nothing: 'quota_types is empty',
  },
  regionProblems: zoneProblems,
  changeTexts: quotaChangeTexts,
  plan: ({ account, region, site, accountKeys: { quota_types }, regionKeys: { zones = null } }) => {
    const types = quotaTypes.filter((type) => quota_types.includes(type));
    const selection = {
      // Most accounts watch all types. Memory then holds one list for all targets.
      quotaTypes: types.length === quotaTypes.length ? quotaTypes : types,
      zones,
    };
    // The international site has other operations.
    if (types.length === 0 || site === 'international') return [];
    return [{ account, region, operation, selection }];
  },
  details: ({ selection: { zones } }) => (zones === null ? '' : `zones ${zones.join(', ')}`),
  poll: (call, own, context) =>
    call(
      { ...cvm, action: operation, region: own.region, parameters: filtersOf(own.selection) },
      (response) => readQuotas(response, own),
      context,
    ),
  newCounted: { compared: null, histories: [] },
  continueRecord,
  forget: (counted) => ({
    ...counted,
    compared: null,
    histories: forgetQuotas(counted.histories),
  }),
  compare,
  stored: storedQuotaRecord,
  families,
  quotaSources: {
    used: 'UsedQuota (CurrentNum for disaster_recover_group) of DescribeAccountQuota. prepaid counts from the start of the month',
    remaining:
      'RemainingQuota of DescribeAccountQuota; limit less used for image and disaster_recover_group',
    limit: 'TotalQuota (GroupQuota for disaster_recover_group) of DescribeAccountQuota',
    limitFields: 'TotalQuota, GroupQuota of DescribeAccountQuota',
  },
  quotas: ({ seen }) => seen.snapshot?.quotas ?? [],
  reportableQuotas: ({ selection: { quotaTypes: types, zones } }) =>
    types.map((type) => ({ type, zones: quotaSets[type].isZonal ? zones : [] })),
  histories: ({ counted: { histories }, target: { selection } }) =>
    histories.filter((history) => isQuotaSelected(selection, history)),
  quotaNote: ({ type }) => (type === 'prepaid' ? 'used this month' : ''),
  json: ({ appId, quotas, groupInstanceLimits }) => ({
    app_id: appId,
    quotas: quotas.map((quota) => ({
      quota_type: quota.type,
      zone: quota.zone,
      unit: quota.unit,
      used: quota.used,
      remaining: quota.remaining,
      limit: quota.limit,
      once_limit: quota.onceLimit,
    })),
    disaster_recover_group_instance_limits: groupInstanceLimits,
  }),
});
