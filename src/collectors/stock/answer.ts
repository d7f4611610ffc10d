/** Turns the answers of DescribeZoneInstanceConfigInfos into a snapshot. */
import { z } from 'zod';
import { firstIssue, printable, readFields, type ServiceResponse } from '../../api/response.ts';
import { stockFields, type Offer, type StockRow } from '../../model/launches/launch.ts';
import { snapshotSchema, type Anomaly, type PollAnswer } from '../../model/poll-outcome.ts';
import { count, text, type Stored } from '../../model/stored.ts';
import type { Refused } from '../asking.ts';
import { zoneName } from '../keys.ts';
import { chargeTypeOf } from '../launch-settings.ts';
import { known } from '../rows.ts';

export const stockSnapshot = snapshotSchema(stockFields);
export type StockSnapshot = Stored<typeof stockSnapshot>;

const levels: (string | null)[] = ['WithoutStock', 'UnderStock', 'NormalStock', 'EnoughStock'];

const rowSchema = z.object({
  Zone: zoneName,
  InstanceType: text,
  InstanceChargeType: text,
  Status: known(text),
  StatusCategory: known(text),
  Cpu: known(count.positive()),
});
const answerSchema = z.object({ InstanceTypeQuotaSet: z.array(z.unknown()) });

export function rowsIn(response: ServiceResponse): readonly unknown[] {
  return readFields(response, answerSchema).InstanceTypeQuotaSet;
}

export function offerKey({ chargeType, instanceType }: Offer): string {
  return `${instanceType} ${chargeType}`;
}

/** Identifies an offer in a zone. */
export function placeKey(row: Offer & { readonly zone: string | null }): string {
  return `${row.zone ?? ''} ${offerKey(row)}`;
}

/**
 * The rows of all answers for the offers that were asked for. Others are dropped.
 *
 * @param areLevelsOptional whether a row may be without a level, as on the international site
 */
export function stockOf(
  all: readonly unknown[],
  offers: readonly Offer[],
  refused: readonly Refused[],
  areLevelsOptional: boolean,
): PollAnswer<StockSnapshot> {
  const anomalies: Anomaly[] = [];
  const missing = refused.map(({ code, name }) => `instance type ${name}: refused with ${code}`);
  const refusedTypes = refused.map(({ name }) => name);
  const asked = offers.filter(({ instanceType }) => !refusedTypes.includes(instanceType));
  const keys = new Set(asked.map(offerKey));
  const rows = new Map<string, StockRow>();
  let isWhole = true;
  for (const [i, each] of all.entries()) {
    const { data, error } = rowSchema.safeParse(each);
    if (data === undefined) {
      const detail = `InstanceTypeQuotaSet[${i}]: ${firstIssue(error)}`;
      anomalies.push({ kind: 'invalid-row', detail });
      isWhole = false;
      continue;
    }
    const row = rowOf(data);
    if (row === null || !keys.has(offerKey(row))) continue;
    const problem = problemOf(data, row, areLevelsOptional);
    if (problem !== null) {
      const detail = `InstanceTypeQuotaSet[${i}] (${row.instanceType} in ${row.zone}): ${problem}`;
      anomalies.push({ kind: 'invalid-row', detail, isHarmless: row.sells !== null });
    }
    const key = placeKey(row);
    rows.set(key, better(rows.get(key), row));
  }
  return { snapshot: { asked, isWhole, rows: [...rows.values()], missing }, anomalies };
}

/** `null` for a charge type that is not watched. */
function rowOf(data: z.output<typeof rowSchema>): StockRow | null {
  const { Cpu: cpu, InstanceType: instanceType, Status: status, Zone: zone } = data;
  const chargeType = chargeTypeOf(data.InstanceChargeType);
  if (chargeType === null) return null;
  const level = levels.indexOf(data.StatusCategory);
  const isSoldOut = status === 'SOLD_OUT' || level === 0;
  return {
    instanceType,
    chargeType,
    zone,
    sells: isSoldOut ? false : status === 'SELL' ? true : null,
    level: level === -1 ? null : isSoldOut ? 0 : level,
    cpu,
  };
}

/** What cannot be read of a row. `null` if all can. */
function problemOf(
  { Status: status, StatusCategory: category }: z.output<typeof rowSchema>,
  { level, sells }: StockRow,
  areLevelsOptional: boolean,
): string | null {
  if (sells === null) return `unknown Status ${printable(status ?? '', 32)}`;
  if (level !== null || (category === null && areLevelsOptional)) return null;
  return `unknown StatusCategory ${printable(category ?? '', 32)}`;
}

/** A key may occur twice. It sells if any of its rows sells, at the best level of those that sell. */
function better(one: StockRow | undefined, other: StockRow): StockRow {
  if (one === undefined) return other;
  const worth = ({ level, sells }: StockRow) => Number(sells ?? 0.5) * 10 + (level ?? 0);
  return worth(other) > worth(one) ? other : one;
}
