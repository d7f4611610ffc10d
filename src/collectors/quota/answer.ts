/** DescribeAccountQuota: what is asked, and how the answer becomes a snapshot. */
import { z } from 'zod';
import type { Parameter } from '../../api/request.ts';
import { readFields, type ServiceResponse } from '../../api/response.ts';
import type { Anomaly } from '../../model/poll-outcome.ts';
import { readRows } from '../rows.ts';
import type { AccountQuota, GroupInstanceLimits, QuotaSnapshot } from './record.ts';
import {
  quotaTypes,
  unitOf,
  zonalQuotaTypes,
  type QuotaSelection,
  type QuotaType,
} from './target.ts';

/** The service's names of the sets (service.md, section 2.3). */
const setNames = {
  postpaid: 'PostPaidQuotaSet',
  prepaid: 'PrePaidQuotaSet',
  spotpaid: 'SpotPaidQuotaSet',
  disaster_recover_group: 'DisasterRecoverGroupQuotaSet',
  image: 'ImageQuotaSet',
} as const;

/** Values per filter that the service's list operations allow (service-facts.md, section 5). */
const maxFilterValues = 5;

/**
 * The filters to ask with. They only spare the service work: {@link readQuotas} applies the
 * selection to the answer in any case.
 *
 * - `quota-type` where a part of the types is selected, unless `image` is among them: service.md,
 *   section 4.2, does not allow its set as a value.
 * - `zone` where at most 5 zones are selected and only types that are counted by zone: whether the
 *   filter would hide the sets of the whole region is not published.
 */
export function quotaFilters({ quotaTypes: types, zones }: QuotaSelection): Parameter[] {
  const filters: { readonly name: string; readonly values: readonly string[] }[] = [];
  const onlyZonal = types.every((type) => zonalQuotaTypes.has(type));
  if (zones !== null && zones.length > 0 && zones.length <= maxFilterValues && onlyZonal) {
    filters.push({ name: 'zone', values: zones });
  }
  if (types.length < quotaTypes.length && !types.includes('image')) {
    filters.push({ name: 'quota-type', values: types.map((type) => setNames[type]) });
  }
  return filters.flatMap(({ name, values }, index): Parameter[] => [
    [`Filters.${index}.Name`, name],
    ...values.map((value, at): Parameter => [`Filters.${index}.Values.${at}`, value]),
  ]);
}

const rowSet = z.array(z.unknown()).nullish();
const count = z.int().nonnegative();

const answerSchema = z.object({
  AppId: count.nullish().catch(null),
  AccountQuotaOverview: z.object({
    AccountQuota: z.object({
      [setNames.postpaid]: rowSet,
      [setNames.prepaid]: rowSet,
      [setNames.spotpaid]: rowSet,
      [setNames.disaster_recover_group]: rowSet,
      [setNames.image]: rowSet,
    }),
  }),
});

const zone = z.string().regex(/^[a-z0-9-]{1,64}$/);

const zonalRow = z.object({
  Zone: zone,
  UsedQuota: count,
  RemainingQuota: count,
  TotalQuota: count,
});

const prepaidRow = zonalRow.extend({ OnceQuota: count });

const imageRow = z.object({ UsedQuota: count, TotalQuota: count });

const disasterRecoverGroupRow = z.object({
  CurrentNum: count,
  GroupQuota: count,
  CvmInHostGroupQuota: count,
  CvmInSwitchGroupQuota: count,
  CvmInRackGroupQuota: count,
});

export interface QuotaReading {
  readonly snapshot: QuotaSnapshot;
  readonly anomalies: readonly Anomaly[];
}

type Sets = z.output<typeof answerSchema>['AccountQuotaOverview']['AccountQuota'];

interface SetReading {
  readonly quotas: readonly AccountQuota[];
  readonly groupInstanceLimits?: GroupInstanceLimits | null;
}

/**
 * The selected quotas of an answer; a service that ignores a filter adds none.
 *
 * @throws CodedError `InvalidResponse` when the shape of the whole is wrong
 */
export function readQuotas(response: ServiceResponse, selection: QuotaSelection): QuotaReading {
  const answer = readFields(response, answerSchema);
  const sets = answer.AccountQuotaOverview.AccountQuota;
  const anomalies: Anomaly[] = [];
  const readings = selection.quotaTypes.map((type) => readSet(type, sets, anomalies));
  const zones = selection.zones === null ? null : new Set(selection.zones);
  const quotas = readings
    .flatMap((reading) => reading.quotas)
    .filter((quota) => quota.zone === null || (zones?.has(quota.zone) ?? true));
  const groupInstanceLimits =
    readings.find((reading) => reading.groupInstanceLimits)?.groupInstanceLimits ?? null;
  const appId = answer.AppId ?? null;
  return {
    snapshot: { kind: 'quota', missing: [], appId, selection, quotas, groupInstanceLimits },
    anomalies,
  };
}

function readSet(type: QuotaType, sets: Sets, anomalies: Anomaly[]): SetReading {
  const name = setNames[type];
  const rows = sets[name] ?? [];
  switch (type) {
    case 'postpaid':
    case 'spotpaid': {
      const set = { name, schema: zonalRow, identity: zoneOf };
      const quotas = readRows(rows, set, anomalies).map((row) => zonalQuota(type, row, null));
      return { quotas };
    }
    case 'prepaid': {
      const set = { name, schema: prepaidRow, identity: zoneOf };
      const quotas = readRows(rows, set, anomalies).map((row) =>
        zonalQuota(type, row, row.OnceQuota),
      );
      return { quotas };
    }
    case 'image': {
      const set = { name, schema: imageRow, identity: () => null };
      const quotas = readRows(rows, set, anomalies).map((row) =>
        regionalQuota(type, row.UsedQuota, row.TotalQuota),
      );
      return { quotas };
    }
    case 'disaster_recover_group': {
      const set = { name, schema: disasterRecoverGroupRow, identity: () => null };
      const [row] = readRows(rows, set, anomalies);
      if (row === undefined) return { quotas: [] };
      const groupInstanceLimits = {
        host: row.CvmInHostGroupQuota,
        switch: row.CvmInSwitchGroupQuota,
        rack: row.CvmInRackGroupQuota,
      };
      return { quotas: [regionalQuota(type, row.CurrentNum, row.GroupQuota)], groupInstanceLimits };
    }
  }
}

function zoneOf(row: z.output<typeof zonalRow>): string {
  return row.Zone;
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

/** The service does not say what remains; where a lowered limit leaves more used than allowed, it is 0. */
function regionalQuota(type: QuotaType, used: number, limit: number): AccountQuota {
  return {
    type,
    zone: null,
    unit: unitOf[type],
    used,
    remaining: Math.max(0, limit - used),
    limit,
    onceLimit: null,
  };
}
