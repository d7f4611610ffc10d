/** The quotas of an account in a region: which are watched, and how the answer of DescribeAccountQuota becomes a snapshot. */
import { z } from 'zod';
import type { Parameter } from '../../api/request.ts';
import { printable, readFields, type ServiceResponse } from '../../api/response.ts';
import { CodedError } from '../../model/coded-error.ts';
import { snapshotSchema, type Anomaly, type PollAnswer } from '../../model/poll-outcome.ts';
import { eachOnce, namedQuota, quota, type QuotaName } from '../../model/quota.ts';
import { count, text, type Stored } from '../../model/stored.ts';
import { filtersOf } from '../asking.ts';
import { zoneName } from '../keys.ts';
import { known, maxRows, readRows } from '../rows.ts';

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
 * The set of each quota type at the service, its unit, and whether it is counted by zone (docs/service.md, section
 * 5). Spot quotas count vCPU cores.
 */
export const quotaSets = {
  postpaid: { name: 'PostPaidQuotaSet', unit: 'instances', isZonal: true },
  prepaid: { name: 'PrePaidQuotaSet', unit: 'instances', isZonal: true },
  spotpaid: { name: 'SpotPaidQuotaSet', unit: 'vcpus', isZonal: true },
  disaster_recover_group: { name: 'DisasterRecoverGroupQuotaSet', unit: 'groups', isZonal: false },
  image: { name: 'ImageQuotaSet', unit: 'images', isZonal: false },
} as const satisfies Record<QuotaType, object>;

/**
 * The watched part of the quotas of a region: types in the order of {@link quotaTypes}, and the zones of the types
 * that the service counts by zone. `null` for every zone.
 */
export const quotaSelection = z.object({
  quotaTypes: z.array(z.enum(quotaTypes)),
  zones: z.array(text).nullable(),
});
export type QuotaSelection = Stored<typeof quotaSelection>;

/** Whether a selection has a zone. `null` is the whole region, which is in every selection. */
export function isZoneSelected({ zones }: QuotaSelection, zone: string | null): boolean {
  return zone === null || (zones?.includes(zone) ?? true);
}

export function isQuotaSelected(selection: QuotaSelection, { type, zone }: QuotaName): boolean {
  return selection.quotaTypes.some((each) => each === type) && isZoneSelected(selection, zone);
}

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
  const areZonal = types.every((type) => quotaSets[type].isZonal);
  const isZoneSent = areZonal && zones !== null && zones.length <= maxFilterValues;
  return filtersOf({
    ...(isZoneSent && { zone: zones }),
    ...(!types.includes('image') && { 'quota-type': types.map((type) => quotaSets[type].name) }),
  });
}

const type = z.enum(quotaTypes);
const limit = z.number().nonnegative().nullable();

export const quotaSnapshot = snapshotSchema({
  quotas: eachOnce(
    quota.extend({
      type,
      /** The maximum of one purchase, prepaid only. */
      onceLimit: limit,
      /** Maximum number of instances in one placement group, by the level of the group. `null` for other types. */
      instanceLimits: z.object({ host: limit, switch: limit, rack: limit }).nullable(),
    }),
  ),
  /** The types whose set has no row without a name, and none with a name that occurred before. */
  whole: z.array(type),
  /** The selected quotas whose numbers cannot be read. */
  unreadable: z.array(namedQuota),
});
export type QuotaSnapshot = Stored<typeof quotaSnapshot>;
export type AccountQuota = QuotaSnapshot['quotas'][number];

const answerSchema = z.object({
  AppId: known(count),
  AccountQuotaOverview: z.object({
    Region: known(z.string()),
    AccountQuota: z.record(z.string(), z.unknown()),
  }),
});

/** What remains is negative if a limit was lowered below the use. */
const amounts = (used: number, limit: number, remaining = limit - used) => ({
  used,
  remaining,
  limit,
  onceLimit: null,
  instanceLimits: null,
});

const zonalRow = z
  .object({
    UsedQuota: count,
    RemainingQuota: z.int(),
    TotalQuota: count,
    OnceQuota: known(count),
  })
  .transform((row) => ({
    ...amounts(row.UsedQuota, row.TotalQuota, row.RemainingQuota),
    onceLimit: row.OnceQuota,
  }));

const imageRow = z
  .object({ UsedQuota: count, TotalQuota: count })
  .transform((row) => amounts(row.UsedQuota, row.TotalQuota));

const groupRow = z
  .object({
    CurrentNum: count,
    GroupQuota: count,
    CvmInHostGroupQuota: known(count),
    CvmInSwitchGroupQuota: known(count),
    CvmInRackGroupQuota: known(count),
  })
  .transform((row) => ({
    ...amounts(row.CurrentNum, row.GroupQuota),
    instanceLimits: {
      host: row.CvmInHostGroupQuota,
      switch: row.CvmInSwitchGroupQuota,
      rack: row.CvmInRackGroupQuota,
    },
  }));

const rowSchemas = {
  postpaid: zonalRow,
  prepaid: zonalRow,
  spotpaid: zonalRow,
  disaster_recover_group: groupRow,
  image: imageRow,
} as const satisfies Record<QuotaType, z.ZodType>;

const zonalName = z.object({ Zone: zoneName });
const noName = z.object({});

/**
 * The selected quotas of an answer.
 *
 * @throws CodedError `InvalidResponse` when the whole has a wrong shape, or is about another region
 */
export function readQuotas(
  response: ServiceResponse,
  { region, selection }: { readonly region: string; readonly selection: QuotaSelection },
): PollAnswer<QuotaSnapshot> {
  const answer = readFields(response, answerSchema);
  const { AccountQuota: sets, Region } = answer.AccountQuotaOverview;
  const anomalies: Anomaly[] = [];
  const readings = selection.quotaTypes.flatMap((own) => {
    const { isZonal, name, unit } = quotaSets[own];
    const set = sets[name] ?? [];
    if (!Array.isArray(set) || set.length > maxRows) {
      const problem = Array.isArray(set) ? 'too many rows' : 'not a list';
      anomalies.push({ kind: 'invalid-set', detail: `${name}: ${problem}` });
      return [];
    }
    const isWanted = (zone: string) => !isZonal || isZoneSelected(selection, zone);
    const id = isZonal ? zonalName : noName;
    const reading = readRows(set, { name, id, schema: rowSchemas[own], isWanted });
    anomalies.push(...reading.anomalies);
    const quotaName = (zone: string) => ({ type: own, zone: isZonal ? zone : null, unit });
    const read = new Set(reading.rows.map((row) => row.name));
    return {
      type: own,
      isWhole: reading.unidentified === 0,
      zones: isZonal ? reading.names : [],
      quotas: reading.rows.map(({ name: zone, row }) => ({
        ...quotaName(zone),
        ...row,
        onceLimit: own === 'prepaid' ? row.onceLimit : null,
      })),
      unreadable: reading.names.filter((zone) => isWanted(zone) && !read.has(zone)).map(quotaName),
    };
  });
  const zones = readings.flatMap((each) => each.zones);
  const stranger = zones.find((zone) => !zone.startsWith(`${region}-`));
  const other = Region && Region !== region ? Region : stranger;
  if (other) {
    const message = `unexpected answer: it is about ${printable(other, 64)}, and ${region} was asked for`;
    throw new CodedError('InvalidResponse', message, { requestId: response.requestId });
  }
  const quotas = readings.flatMap((each) => each.quotas);
  const isAnyZonal = selection.quotaTypes.some((each) => quotaSets[each].isZonal);
  const absentZones = (isAnyZonal ? (selection.zones ?? []) : []).filter(
    (zone) => !zones.includes(zone),
  );
  return {
    snapshot: {
      appId: answer.AppId,
      quotas,
      whole: readings.flatMap((each) => (each.isWhole ? [each.type] : [])),
      unreadable: readings.flatMap((each) => each.unreadable),
      missing: [
        ...(quotas.length === 0 ? ['no quota in the answer'] : []),
        ...absentZones.map((zone) => `zone ${zone}: no row in the answer`),
      ],
    },
    anomalies,
  };
}
