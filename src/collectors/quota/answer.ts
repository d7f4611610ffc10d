/** Turns the answer of DescribeAccountQuota into a snapshot. */
import { z } from 'zod';
import { readFields, type ServiceResponse } from '../../api/response.ts';
import type { Anomaly, PollAnswer } from '../../model/poll-outcome.ts';
import { zoneName } from '../place-names.ts';
import { boundedMissing, readRows, type RowsReading } from '../read-rows.ts';
import {
  isZoneSelected,
  type AccountQuota,
  type GroupInstanceLimits,
  type QuotaRows,
  type QuotaSnapshot,
} from './record.ts';
import {
  setNames,
  unitOf,
  zonalQuotaTypes,
  type QuotaSelection,
  type QuotaType,
} from './target.ts';

const count = z.int().nonnegative();
/** If it is absent or invalid, only this field is unknown. */
const optionalCount = count.nullable().catch(null).default(null);

const answerSchema = z.object({
  AppId: optionalCount,
  AccountQuotaOverview: z.object({
    AccountQuota: z.object({
      [setNames.postpaid]: z.unknown().optional(),
      [setNames.prepaid]: z.unknown().optional(),
      [setNames.spotpaid]: z.unknown().optional(),
      [setNames.disaster_recover_group]: z.unknown().optional(),
      [setNames.image]: z.unknown().optional(),
    }),
  }),
});

const namedRow = z.object({ Zone: zoneName });

const zonalRow = namedRow.extend({
  UsedQuota: count,
  RemainingQuota: z.int(),
  TotalQuota: count,
  OnceQuota: optionalCount,
});

const imageRow = z.object({ UsedQuota: count, TotalQuota: count });

const disasterRecoverGroupRow = z.object({
  CurrentNum: count,
  GroupQuota: count,
  CvmInHostGroupQuota: optionalCount,
  CvmInSwitchGroupQuota: optionalCount,
  CvmInRackGroupQuota: optionalCount,
});

interface SetReading extends Pick<RowsReading<unknown>, 'names' | 'unidentified'> {
  readonly quotas: readonly AccountQuota[];
  readonly groupInstanceLimits?: GroupInstanceLimits | null;
}

/**
 * The selected quotas of an answer, also if the service ignores a filter. An answer without any quota says
 * nothing about any row.
 *
 * @throws CodedError `InvalidResponse` when the whole has a wrong shape
 */
export function readQuotas(
  response: ServiceResponse,
  selection: QuotaSelection,
): PollAnswer<QuotaSnapshot> {
  const answer = readFields(response, answerSchema);
  const sets = answer.AccountQuotaOverview.AccountQuota;
  const anomalies: Anomaly[] = [];
  const quotas: AccountQuota[] = [];
  const rows: QuotaRows[] = [];
  let groupInstanceLimits: GroupInstanceLimits | null = null;
  for (const type of selection.quotaTypes) {
    const set = sets[setNames[type]] ?? [];
    if (!Array.isArray(set)) {
      anomalies.push({ kind: 'invalid-set', detail: `${setNames[type]}: not a list` });
      continue;
    }
    const reading = readSet(type, set, selection, anomalies);
    quotas.push(...reading.quotas);
    rows.push({ type, names: reading.names, unidentified: reading.unidentified });
    groupInstanceLimits ??= reading.groupInstanceLimits ?? null;
  }
  // Rows of unselected zones count too. They prove that the list was read, so a selected zone that is
  // missing is gone.
  const isList =
    quotas.length > 0 || rows.some(({ names }) => names.some((name) => !isWanted(selection, name)));
  return {
    snapshot: {
      kind: 'quota',
      appId: answer.AppId,
      selection,
      // Unlike a list that has grown, its copy has no room for more.
      quotas: [...quotas],
      groupInstanceLimits,
      rows: isList ? [...rows] : [],
      missing: boundedMissing([
        ...(quotas.length === 0 ? ['no quota in the answer'] : []),
        ...missingZones(selection, rows),
        ...anomalies.map(({ detail }) => detail),
      ]),
    },
    anomalies,
  };
}

/** A name is a zone, or empty for the region. */
function isWanted(selection: QuotaSelection, name: string): boolean {
  return name === '' || isZoneSelected(selection, name);
}

function missingZones({ quotaTypes: types, zones }: QuotaSelection, rows: QuotaRows[]): string[] {
  if (zones === null || !types.some((type) => zonalQuotaTypes.has(type))) return [];
  const present = new Set(rows.flatMap(({ names }) => names));
  return zones
    .filter((zone) => !present.has(zone))
    .map((zone) => `zone ${zone}: no row in the answer`);
}

function readSet(
  type: QuotaType,
  set: readonly unknown[],
  selection: QuotaSelection,
  anomalies: Anomaly[],
): SetReading {
  const name = setNames[type];
  const zonal = {
    name,
    schema: zonalRow,
    nameOf: (row: unknown) => namedRow.safeParse(row).data?.Zone ?? null,
    isWanted: (zone: string) => isWanted(selection, zone),
  };
  const regional = { name, nameOf: () => '', isWanted: () => true };
  switch (type) {
    case 'postpaid':
    case 'spotpaid': {
      const reading = readRows(set, zonal, anomalies);
      return { ...reading, quotas: reading.rows.map(({ row }) => zonalQuota(type, row, null)) };
    }
    case 'prepaid': {
      const reading = readRows(set, zonal, anomalies);
      const quotas = reading.rows.map(({ row }) => zonalQuota(type, row, row.OnceQuota));
      return { ...reading, quotas };
    }
    case 'image': {
      const reading = readRows(set, { ...regional, schema: imageRow }, anomalies);
      const quotas = reading.rows.map(({ row }) =>
        regionalQuota(type, row.UsedQuota, row.TotalQuota),
      );
      return { ...reading, quotas };
    }
    case 'disaster_recover_group': {
      const reading = readRows(set, { ...regional, schema: disasterRecoverGroupRow }, anomalies);
      const quotas = reading.rows.map(({ row }) =>
        regionalQuota(type, row.CurrentNum, row.GroupQuota),
      );
      const [first] = reading.rows;
      return { ...reading, quotas, groupInstanceLimits: first ? limitsOf(first.row) : null };
    }
  }
}

function limitsOf(row: z.output<typeof disasterRecoverGroupRow>): GroupInstanceLimits {
  return {
    host: row.CvmInHostGroupQuota,
    switch: row.CvmInSwitchGroupQuota,
    rack: row.CvmInRackGroupQuota,
  };
}

function zonalQuota(
  type: QuotaType,
  row: z.output<typeof zonalRow>,
  onceLimit: number | null,
): AccountQuota {
  return {
    type,
    zone: row.Zone,
    unit: unitOf[type],
    used: row.UsedQuota,
    remaining: row.RemainingQuota,
    limit: row.TotalQuota,
    onceLimit,
  };
}

/**
 * The service does not report the remaining quota, so it is computed. It is negative if a limit was lowered
 * below the use.
 */
function regionalQuota(type: QuotaType, used: number, limit: number): AccountQuota {
  return {
    type,
    zone: null,
    unit: unitOf[type],
    used,
    remaining: limit - used,
    limit,
    onceLimit: null,
  };
}
