/** Turns the answer of DescribeAccountQuota into a snapshot. */
import { z } from 'zod';
import { printable, readFields, type ServiceResponse } from '../../api/response.ts';
import { CodedError } from '../../model/coded-error.ts';
import type { Anomaly, PollAnswer } from '../../model/poll-outcome.ts';
import { zoneName } from '../place-names.ts';
import { boundedMissing, readRows } from '../rows.ts';
import { count, quota, snapshotSchema, text, type Stored } from '../../model/stored.ts';
import {
  isZoneSelected,
  quotaSets,
  quotaTypes,
  type QuotaSelection,
  type QuotaType,
} from './selection.ts';

const limit = z.number().nonnegative().nullable();
const type = z.enum(quotaTypes);

export const quotaSnapshot = snapshotSchema({
  appId: count.nullable(),
  /** At most one per quota type and zone. `onceLimit` is the maximum of one purchase, prepaid only. */
  quotas: z.array(quota.extend({ type, onceLimit: limit })),
  /** Maximum number of instances in one placement group, by the level of the group. */
  groupInstanceLimits: z.object({ host: limit, switch: limit, rack: limit }).nullable(),
  /**
   * The selected rows of each readable set, also those with unreadable numbers. A name is a zone, or empty for the
   * region. `unidentified` is the number of rows without a name, or with one that occurred before.
   */
  rows: z.array(z.object({ type, names: z.array(text), unidentified: count })),
});
export type QuotaSnapshot = Stored<typeof quotaSnapshot>;
export type AccountQuota = QuotaSnapshot['quotas'][number];

const number = z.int().nonnegative();
/** If it is absent or invalid, only this field is unknown. */
const optionalNumber = number.nullable().catch(null).default(null);

const answerSchema = z.object({
  AppId: optionalNumber,
  AccountQuotaOverview: z.object({
    Region: z.string().nullish().catch(null),
    AccountQuota: z.record(z.string(), z.unknown()),
  }),
});

const zonalRow = z
  .object({
    Zone: zoneName,
    UsedQuota: number,
    RemainingQuota: z.int(),
    TotalQuota: number,
    OnceQuota: optionalNumber,
  })
  .transform((row) => ({
    used: row.UsedQuota,
    limit: row.TotalQuota,
    remaining: row.RemainingQuota,
    onceLimit: row.OnceQuota,
  }));

const imageRow = z
  .object({ UsedQuota: number, TotalQuota: number })
  .transform((row) => ({ used: row.UsedQuota, limit: row.TotalQuota }));

const groupRow = z
  .object({
    CurrentNum: number,
    GroupQuota: number,
    CvmInHostGroupQuota: optionalNumber,
    CvmInSwitchGroupQuota: optionalNumber,
    CvmInRackGroupQuota: optionalNumber,
  })
  .transform((row) => ({
    used: row.CurrentNum,
    limit: row.GroupQuota,
    groupInstanceLimits: {
      host: row.CvmInHostGroupQuota,
      switch: row.CvmInSwitchGroupQuota,
      rack: row.CvmInRackGroupQuota,
    },
  }));

/** A row in our words. */
interface Row {
  readonly used: number;
  readonly limit: number;
  readonly remaining?: number;
  readonly onceLimit?: number | null;
  readonly groupInstanceLimits?: NonNullable<QuotaSnapshot['groupInstanceLimits']>;
}

const rowSchemas: Readonly<Record<QuotaType, z.ZodType<Row>>> = {
  postpaid: zonalRow,
  prepaid: zonalRow,
  spotpaid: zonalRow,
  disaster_recover_group: groupRow,
  image: imageRow,
};

const namedRow = z.object({ Zone: zoneName });

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
  const readings = selection.quotaTypes.flatMap((each) => {
    const { name, isZonal } = quotaSets[each];
    const set = sets[name] ?? [];
    if (!Array.isArray(set)) {
      anomalies.push({ kind: 'invalid-set', detail: `${name}: not a list` });
      return [];
    }
    const isWanted = (zone: string) => !isZonal || isZoneSelected(selection, zone);
    const nameOf = (row: unknown) => (isZonal ? (namedRow.safeParse(row).data?.Zone ?? null) : '');
    const rowSet = { name, schema: rowSchemas[each], nameOf, isWanted };
    return [{ type: each, isZonal, isWanted, ...readRows(set, rowSet, anomalies) }];
  });
  const zones = readings.flatMap(({ isZonal, names }) => (isZonal ? names : []));
  const other =
    (Region ?? '') === '' || Region === region
      ? zones.find((zone) => !zone.startsWith(`${region}-`))
      : Region;
  if (other) {
    const message = `unexpected answer: it is about ${printable(other, 64)}, and ${region} was asked for`;
    throw new CodedError('InvalidResponse', message, { requestId: response.requestId });
  }
  const quotas = readings.flatMap(({ type: own, isZonal, rows }) =>
    rows.map(({ name, row }) => quotaOf(own, isZonal ? name : null, row)),
  );
  const isZonal = selection.quotaTypes.some((each) => quotaSets[each].isZonal);
  const absentZones = (isZonal ? (selection.zones ?? []) : []).filter(
    (zone) => !zones.includes(zone),
  );
  const groups = readings.flatMap(({ rows }) => rows.map(({ row }) => row.groupInstanceLimits));
  return {
    snapshot: {
      appId: answer.AppId,
      quotas,
      groupInstanceLimits: groups.find((limits) => limits !== undefined) ?? null,
      rows: readings.map(({ type: own, names, isWanted, unidentified }) => ({
        type: own,
        names: names.filter(isWanted),
        unidentified,
      })),
      missing: boundedMissing([
        ...(quotas.length === 0 ? ['no quota in the answer'] : []),
        ...absentZones.map((zone) => `zone ${zone}: no row in the answer`),
        ...anomalies.map(({ detail }) => detail),
      ]),
    },
    anomalies,
  };
}

/**
 * Where the service does not report the remaining quota, it is computed. It is negative if a limit was lowered
 * below the use.
 */
function quotaOf(own: QuotaType, zone: string | null, row: Row): AccountQuota {
  const { used, limit: total, remaining = total - used, onceLimit = null } = row;
  const { unit } = quotaSets[own];
  const once = own === 'prepaid' ? onceLimit : null;
  return { type: own, zone, unit, used, remaining, limit: total, onceLimit: once };
}
