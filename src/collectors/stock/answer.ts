/** Turns the answers of DescribeZoneInstanceConfigInfos into a snapshot. */
import { z } from 'zod';
import { firstIssue, printable, readFields, type ServiceResponse } from '../../api/response.ts';
import { chargeTypes } from '../../model/launch.ts';
import type { Anomaly, PollAnswer } from '../../model/poll-outcome.ts';
import { chargeTypeOf, type Refused } from '../launches.ts';
import { zoneName } from '../place-names.ts';
import { boundedMissing } from '../rows.ts';
import { count, snapshotSchema, text, type Stored } from '../../model/stored.ts';

/** An instance type and a charge type that are started. */
export const combination = z.object({ instanceType: text, chargeType: z.enum(chargeTypes) });
export type Combination = Stored<typeof combination>;

const stockRow = combination.extend({
  zone: text,
  sells: z.boolean().nullable(),
  level: z.int().min(0).max(3).nullable(),
  cpu: count.nullable(),
});
type StockRow = Stored<typeof stockRow>;

export const stockSnapshot = snapshotSchema({
  /** What the answer is about: without the types that the service refused. */
  asked: z.array(combination),
  /** Whether every row could be read as far as what it is about. */
  isWhole: z.boolean(),
  rows: z.array(stockRow),
});
export type StockSnapshot = Stored<typeof stockSnapshot>;

const levels = ['WithoutStock', 'UnderStock', 'NormalStock', 'EnoughStock'];

/** More rows than the service has for 100 types. Later rows are not read. */
const maxRows = 10_000;

const rowSchema = z.object({ Zone: zoneName, InstanceType: text, InstanceChargeType: text });
const stateSchema = z.object({
  Status: z.string().nullish().catch(null),
  StatusCategory: z.string().nullish().catch(null),
  Cpu: z.int().positive().nullish().catch(null),
});
const answerSchema = z.object({ InstanceTypeQuotaSet: z.array(z.unknown()) });

export function readRows(response: ServiceResponse): readonly unknown[] {
  return readFields(response, answerSchema).InstanceTypeQuotaSet;
}

/**
 * The rows of all answers for the combinations that were asked for. Others are dropped.
 *
 * @param areLevelsOptional whether a row may be without a level, as on the international site
 */
export function stockOf(
  all: readonly unknown[],
  asked: readonly Combination[],
  refused: readonly Refused[],
  areLevelsOptional: boolean,
): PollAnswer<StockSnapshot> {
  const anomalies: Anomaly[] = [];
  const missing = refused.map(({ code, name }) => `instance type ${name}: refused with ${code}`);
  const known = asked.filter(({ instanceType }) =>
    refused.every(({ name }) => name !== instanceType),
  );
  const keys = new Set(known.map(combinationKey));
  const rows = new Map<string, StockRow>();
  let isWhole = all.length <= maxRows;
  if (!isWhole) {
    const detail = `InstanceTypeQuotaSet: ${all.length} rows, of which ${maxRows} are read`;
    anomalies.push({ kind: 'too-many-rows', detail });
    missing.push(detail);
  }
  for (const [i, each] of all.slice(0, maxRows).entries()) {
    const named = rowSchema.safeParse(each);
    if (!named.success) {
      const detail = `InstanceTypeQuotaSet[${i}]: ${firstIssue(named.error)}`;
      anomalies.push({ kind: 'invalid-row', detail });
      missing.push(detail);
      isWhole = false;
      continue;
    }
    const { InstanceChargeType, InstanceType: instanceType, Zone: zone } = named.data;
    const chargeType = chargeTypeOf(InstanceChargeType);
    if (chargeType === null || !keys.has(combinationKey({ instanceType, chargeType }))) continue;
    const state = stateSchema.parse(each);
    const { row, problem } = rowOf(state, { instanceType, chargeType, zone }, areLevelsOptional);
    const place = `InstanceTypeQuotaSet[${i}] (${instanceType} in ${zone})`;
    if (problem !== null) anomalies.push({ kind: 'invalid-row', detail: `${place}: ${problem}` });
    if (row.sells === null) missing.push(`${place}: ${problem ?? ''}`);
    const key = `${zone} ${combinationKey(row)}`;
    rows.set(key, better(rows.get(key), row));
  }
  return {
    snapshot: {
      asked: known,
      isWhole,
      rows: [...rows.values()],
      missing: boundedMissing(missing),
    },
    anomalies,
  };
}

export function combinationKey({ chargeType, instanceType }: Combination): string {
  return `${instanceType} ${chargeType}`;
}

function rowOf(
  {
    Cpu: cpu = null,
    Status: status = null,
    StatusCategory: category = null,
  }: z.output<typeof stateSchema>,
  own: Pick<StockRow, 'instanceType' | 'chargeType' | 'zone'>,
  areLevelsOptional: boolean,
): { readonly row: StockRow; readonly problem: string | null } {
  const at = category === null ? -1 : levels.indexOf(category);
  const isSoldOut = status === 'SOLD_OUT' || at === 0;
  const sells = isSoldOut ? false : status === 'SELL' ? true : null;
  const level = at === -1 ? null : isSoldOut ? 0 : at;
  const row = { ...own, sells, level, cpu };
  if (sells === null) return { row, problem: `unknown Status ${printable(status ?? '', 32)}` };
  const isFine = at !== -1 || (category === null && areLevelsOptional);
  const name = category === null ? 'no StatusCategory' : 'unknown StatusCategory';
  return { row, problem: isFine ? null : `${name} ${printable(category ?? '', 32)}`.trim() };
}

/** A key may occur twice. It sells if any of its rows sells, at the best level of those that sell. */
function better(one: StockRow | undefined, other: StockRow): StockRow {
  if (one === undefined) return other;
  const worth = ({ level, sells }: StockRow) =>
    sells === true ? 10 + (level ?? -1) : sells === null ? 1 : 0;
  return worth(other) > worth(one) ? other : one;
}
