/**
 * The quotas of an account in a region: which are watched, and how the answer of DescribeAccountQuota becomes a snapshot.
 * `quota.ts` calls it; `check-config` and the kinds of `international.ts` read the table {@link quotaSets}.
 */
import { z } from 'zod';
import { filtersOf, type Parameter } from '../../api/request.ts';
import { readFields, type ServiceResponse } from '../../api/response.ts';
import { snapshotSchema, type Anomaly, type PollAnswer } from '../../model/poll-outcome.ts';
import {
  amountsOf,
  uniqueQuotas,
  namedQuotaSchema,
  quotaSchema,
  type NamedQuota,
} from '../../model/quota.ts';
import { count, text, type Stored } from '../../model/stored.ts';
import { zoneName } from '../keys.ts';
import { aboutAnother, expectZonesOf, field, lenient, maxRows, readRows, rowOf } from '../rows.ts';

export const quotaTypes = [
  'postpaid',
  'prepaid',
  'spotpaid',
  'disaster_recover_group',
  'image',
] as const;
/** A quota type of the monitor. Each one is a set of the service's AccountQuota. */
export type QuotaType = (typeof quotaTypes)[number];

/**
 * The watched part of the quotas of a region: types in the order of {@link quotaTypes}, and the zones of the types
 * that the service counts by zone. `null` for every zone.
 */
export const quotaSelection = z.object({
  quotaTypes: z.array(z.enum(quotaTypes)),
  zones: z.array(text).nullable(),
});
export type QuotaSelection = Stored<typeof quotaSelection>;

const type = z.enum(quotaTypes);
const limit = z.number().nonnegative().nullable();

export const quotaSnapshot = snapshotSchema({
  quotas: uniqueQuotas(
    quotaSchema.extend({
      type,
      /** Maximum number of instances in one placement group, by the level of the group. Absent or `null` for other types. */
      instanceLimits: z.object({ host: limit, switch: limit, rack: limit }).nullish(),
    }),
  ),
  /** The types in whose set each row has a readable zone: a zone that such a set does not name has no quota. */
  whole: z.array(type),
  /** The selected quotas whose numbers cannot be read. */
  unreadable: z.array(namedQuotaSchema),
});
export type QuotaSnapshot = Stored<typeof quotaSnapshot>;
export type AccountQuota = QuotaSnapshot['quotas'][number];

const zonalRow = z
  .object({
    UsedQuota: count,
    RemainingQuota: z.int(),
    TotalQuota: count,
    /** Maximum of one purchase. `undefined` without one, `null` if it cannot be read. */
    OnceQuota: count
      .nullish()
      .transform((once): number | null | undefined => once ?? undefined)
      .catch(null),
  })
  .refine((row) => row.RemainingQuota <= row.TotalQuota, { error: 'more remains than the limit' })
  .transform(({ OnceQuota, RemainingQuota, TotalQuota, UsedQuota }) => ({
    used: UsedQuota,
    remaining: RemainingQuota,
    limit: TotalQuota,
    ...(OnceQuota !== undefined && { onceLimit: OnceQuota }),
  }));

/** What the sets of quotas that are counted by zone share. */
const zonalSet = {
  isZonal: true,
  id: z.object({ Zone: zoneName }),
  // Only prepaid quotas bound a purchase.
  rowSchema: zonalRow.transform(({ limit, remaining, used }) => ({ used, remaining, limit })),
};

/** The set of a quota of the whole region has one row, without a name. */
const regionalSet = { isZonal: false, id: z.object({}) };
const instanceLimits = rowOf({
  host: field('CvmInHostGroupQuota', count),
  switch: field('CvmInSwitchGroupQuota', count),
  rack: field('CvmInRackGroupQuota', count),
});
const groupRow = z.looseObject({ CurrentNum: count, GroupQuota: count }).transform((row) => ({
  ...amountsOf(row.CurrentNum, row.GroupQuota),
  instanceLimits: instanceLimits.parse(row),
}));
const imageRow = z
  .object({ UsedQuota: count, TotalQuota: count })
  .transform((row) => amountsOf(row.UsedQuota, row.TotalQuota));

/**
 * The set of each quota type at the service, its unit, whether it is counted by zone, and its rows (docs/service.md,
 * section 5). Spot quotas count vCPU cores.
 */
export const quotaSets = {
  postpaid: { name: 'PostPaidQuotaSet', unit: 'instances', ...zonalSet },
  prepaid: { name: 'PrePaidQuotaSet', unit: 'instances', ...zonalSet, rowSchema: zonalRow },
  spotpaid: { name: 'SpotPaidQuotaSet', unit: 'vcpus', ...zonalSet },
  disaster_recover_group: {
    name: 'DisasterRecoverGroupQuotaSet',
    unit: 'groups',
    ...regionalSet,
    rowSchema: groupRow,
  },
  image: { name: 'ImageQuotaSet', unit: 'images', ...regionalSet, rowSchema: imageRow },
} satisfies Record<QuotaType, object>;

/** Maximum number of values per filter in the list operations of the service (docs/service.md, section 5). */
const maxFilterValues = 5;

/**
 * The filters of a request. They only reduce the work of the service: the selection is applied to the answer too.
 *
 * - `quota-type`, if `image` is not selected: not all documentation allows the set of `image` as a value
 *   (docs/service.md, section 5.1).
 * - `zone`, if at most 5 zones are selected, and only types that are counted by zone: it is not published
 *   whether the filter would hide the sets of the whole region.
 */
export function selectionFilters({ quotaTypes: types, zones }: QuotaSelection): Parameter[] {
  const sets = types.map((quotaType) => quotaSets[quotaType]);
  const isZoneSent = zones !== null && zones.length <= maxFilterValues;
  return filtersOf({
    ...(isZoneSent && sets.every(({ isZonal }) => isZonal) && { zone: zones }),
    ...(!types.includes('image') && { 'quota-type': sets.map(({ name }) => name) }),
  });
}

const answerSchema = z.object({
  AppId: lenient(count),
  AccountQuotaOverview: z.object({
    Region: lenient(z.string()),
    AccountQuota: z.record(z.string(), z.unknown()),
  }),
});

/**
 * Reads the selected quotas of an answer. A set that is no list is an anomaly, and costs only its quotas.
 *
 * @returns a snapshot in which `missing` names each selected zone without a row
 * @throws CodedError `InvalidResponse` when the whole has a wrong shape, or is about another region
 */
export function readQuotas(
  response: ServiceResponse,
  { region, selection }: { readonly region: string; readonly selection: QuotaSelection },
): PollAnswer<QuotaSnapshot> {
  const answer = readFields(response, answerSchema);
  const { AccountQuota: sets, Region } = answer.AccountQuotaOverview;
  const quotas: AccountQuota[] = [];
  const whole: QuotaType[] = [];
  const unreadable: NamedQuota[] = [];
  const zones: string[] = [];
  const anomalies: Anomaly[] = [];
  for (const quotaType of selection.quotaTypes) {
    const { id, isZonal, name, rowSchema: schema, unit } = quotaSets[quotaType];
    const set = sets[name] ?? [];
    if (!Array.isArray(set) || set.length > maxRows) {
      const problem = Array.isArray(set) ? 'too many rows' : 'not a list';
      anomalies.push({ kind: 'invalid-set', detail: `${name}: ${problem}` });
      continue;
    }
    const isWanted = (zone: string) => !isZonal || (selection.zones?.includes(zone) ?? true);
    const reading = readRows(set, { name, id, schema, isWanted });
    anomalies.push(...reading.anomalies);
    if (reading.unidentified === 0) whole.push(quotaType);
    if (isZonal) zones.push(...reading.names);
    const quotaName = (zone: string) => ({ type: quotaType, zone: isZonal ? zone : null, unit });
    for (const { name: zone, row } of reading.rows) quotas.push({ ...quotaName(zone), ...row });
    const readable = new Set(reading.rows.map(({ name: zone }) => zone));
    const unreadableZones = reading.names.filter((zone) => isWanted(zone) && !readable.has(zone));
    unreadable.push(...unreadableZones.map(quotaName));
  }
  if (Region && Region !== region) throw aboutAnother(Region, region, response.requestId);
  expectZonesOf(region, zones, response.requestId);
  const isAnyZonal = selection.quotaTypes.some((quotaType) => quotaSets[quotaType].isZonal);
  const wantedZones = isAnyZonal ? (selection.zones ?? []) : [];
  const absentZones = wantedZones.filter((zone) => !zones.includes(zone));
  const missing = absentZones.map((zone) => `zone ${zone}: no row in the answer`);
  if (quotas.length === 0) missing.unshift('no quota in the answer');
  return { snapshot: { appId: answer.AppId, quotas, whole, unreadable, missing }, anomalies };
}
