/** Turns the rows of all answers of DescribeZoneInstanceConfigInfos into a snapshot. */
import { z } from 'zod';
import { firstIssue, printable, readFields, type ServiceResponse } from '../../api/response.ts';
import { stockFields, type Offer, type StockRow } from '../../model/launches/launch.ts';
import { snapshotSchema, type Anomaly, type PollAnswer } from '../../model/poll-outcome.ts';
import { count, text, type Stored } from '../../model/stored.ts';
import { zoneName } from '../keys.ts';
import { chargeTypeOf } from '../launch-settings.ts';
import { lenient, type RefusedName } from '../rows.ts';

export const stockSnapshot = snapshotSchema(stockFields);
export type StockSnapshot = Stored<typeof stockSnapshot>;

/** StatusCategory, by level. */
const levels: (string | null)[] = ['WithoutStock', 'UnderStock', 'NormalStock', 'EnoughStock'];

const rowSchema = z.object({
  Zone: zoneName,
  InstanceType: text,
  InstanceChargeType: text,
  Status: lenient(text),
  StatusCategory: lenient(text),
  Cpu: lenient(count.positive()),
});
const answerSchema = z.object({ InstanceTypeQuotaSet: z.array(z.unknown()) });

/** Returns the rows of one answer. */
export const rowsIn = (response: ServiceResponse) =>
  readFields(response, answerSchema).InstanceTypeQuotaSet;

/** Identifies an offer. The stock collector tells offers apart by it. */
export function offerKey({ chargeType, instanceType }: Offer): string {
  return `${instanceType} ${chargeType}`;
}

/** Identifies an offer in a zone. `null` is what a launch needs that names no zone. */
export function offerInZoneKey(row: Offer & { readonly zone: string | null }): string {
  return `${row.zone ?? ''} ${offerKey(row)}`;
}

/**
 * The snapshot of the offers that were asked for. Rows of other offers are dropped. An anomaly numbers its row through all
 * answers.
 *
 * @param all the rows of all answers
 * @param refused the instance types that the service refused
 * @param areLevelsOptional whether a row may be without a level, as on the international site
 */
export function stockOf(
  all: readonly unknown[],
  offers: readonly Offer[],
  refused: readonly RefusedName[],
  areLevelsOptional: boolean,
): PollAnswer<StockSnapshot> {
  const anomalies: Anomaly[] = [];
  const missing = refused.map(({ code, name }) => `instance type ${name}: refused with ${code}`);
  const refusedTypes = refused.map(({ name }) => name);
  const asked = offers.filter(({ instanceType }) => !refusedTypes.includes(instanceType));
  const keys = new Set(asked.map(offerKey));
  const rows = new Map<string, StockRow>();
  let isWhole = true;
  for (const [i, given] of all.entries()) {
    const { data, error } = rowSchema.safeParse(given);
    if (data === undefined) {
      const detail = `InstanceTypeQuotaSet[${i}]: ${firstIssue(error)}`;
      anomalies.push({ kind: 'invalid-row', detail });
      isWhole = false;
      continue;
    }
    const row = stockRowOf(data);
    if (row === null || !keys.has(offerKey(row))) continue;
    const problem = problemOf(data, row, areLevelsOptional);
    if (problem !== null) {
      const detail = `InstanceTypeQuotaSet[${i}] (${row.instanceType} in ${row.zone}): ${problem}`;
      anomalies.push({ kind: 'invalid-row', detail, isHarmless: row.sells !== null });
    }
    const key = offerInZoneKey(row);
    rows.set(key, better(rows.get(key), row));
  }
  return { snapshot: { asked, isWhole, rows: [...rows.values()], missing }, anomalies };
}

/** `null` for a charge type that launches do not have here. */
function stockRowOf(data: z.output<typeof rowSchema>): StockRow | null {
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

/** The field of a row that cannot be read, with its value. `null` if all can. */
function problemOf(
  { Status: status, StatusCategory: category }: z.output<typeof rowSchema>,
  { level, sells }: StockRow,
  areLevelsOptional: boolean,
): string | null {
  if (sells === null) return `unknown Status ${printable(status ?? '', 32)}`;
  if (level !== null || (category === null && areLevelsOptional)) return null;
  return `unknown StatusCategory ${printable(category ?? '', 32)}`;
}

/**
 * Of two rows of one offer in one zone, the one that sells more surely: a row that sells, then an unknown one, then one
 * that is sold out. If both say the same, the one with the higher level.
 */
function better(one: StockRow | undefined, other: StockRow): StockRow {
  if (one === undefined) return other;
  const bySureness = [false, null, true];
  const difference = bySureness.indexOf(other.sells) - bySureness.indexOf(one.sells);
  return (difference || (other.level ?? 0) - (one.level ?? 0)) > 0 ? other : one;
}
