/**
 * Turns the rows of all answers of DescribeZoneInstanceConfigInfos into a snapshot. The poll of `stock.ts` calls it. An
 * offer is an instance type with a charge type.
 */
import type { z } from 'zod';
import { quoted } from '../../api/response.ts';
import {
  sizedTypeSchema,
  stockFields,
  type Offer,
  type SizedType,
  type StockRow,
} from '../../model/launches/launch.ts';
import { snapshotSchema, type Anomaly, type PollAnswer } from '../../model/poll-outcome.ts';
import { count, text, type Stored } from '../../model/stored.ts';
import { zoneName } from '../keys.ts';
import { chargeTypeOf, otherChargeTypes } from '../launch-settings.ts';
import { type RefusedNames } from '../lists.ts';
import { field, printableText, rowOf } from '../rows.ts';

export const stockSnapshot = snapshotSchema(stockFields);
export type StockSnapshot = Stored<typeof stockSnapshot>;

/** The values of StatusCategory. The index is the level. */
const levels: (string | null)[] = ['WithoutStock', 'UnderStock', 'NormalStock', 'EnoughStock'];

export const rowSchema = rowOf({
  zone: field('Zone', zoneName),
  instanceType: field('InstanceType', printableText),
  paid: field('InstanceChargeType', printableText),
  status: field('Status', text),
  category: field('StatusCategory', text),
  cpu: field('Cpu', count.positive()),
  memory: field('Memory', count),
  gpus: field('GpuCount', count, 0),
  family: field('InstanceFamily', printableText),
  typeName: field('TypeName', printableText),
});
export type GivenRow = z.output<typeof rowSchema>;

/** Identifies an offer, in any zone. */
export function offerKey({ chargeType, instanceType }: Offer): string {
  return `${instanceType} ${chargeType}`;
}

/** Identifies an offer in a zone. `null`, for a launch that names no zone, is the same as the empty zone. */
export function offerInZoneKey(row: Offer & { readonly zone: string | null }): string {
  return `${row.zone ?? ''} ${offerKey(row)}`;
}

/**
 * The snapshot of the offers that were asked for: at most one row of each offer in a zone. Rows of other offers are
 * dropped.
 *
 * - A row without a readable zone or type makes the answer incomplete: then no offer without a row is certain to be absent.
 * - A row with an unknown charge type may be of each offer of its type there: without another row, these are unknown.
 * - Of several rows of one offer in a zone, the {@link better} one counts.
 *
 * @param allRows the rows of all answers. Anomalies number them through
 * @param refused the instance types that the service refused
 * @param areLevelsOptional whether a row may be without a level, as on the international site
 */
export function stockOf(
  allRows: readonly GivenRow[],
  offers: readonly Offer[],
  refused: RefusedNames,
  areLevelsOptional: boolean,
): PollAnswer<StockSnapshot> {
  const anomalies: Anomaly[] = [];
  const missing = [...refused].map(([type, code]) => `instance type ${type}: refused with ${code}`);
  const asked = offers.filter(({ instanceType }) => !refused.has(instanceType));
  const rows = new Map<string, StockRow>();
  const unclear: StockRow[] = [];
  let isWhole = true;
  for (const [i, given] of allRows.entries()) {
    const { instanceType, paid, zone } = given;
    const chargeType = chargeTypeOf(paid);
    const ofType = asked.filter((offer) => offer.instanceType === instanceType);
    const mayBeAsked =
      ofType.some((offer) => chargeType === null || chargeType === offer.chargeType) &&
      !(paid !== null && otherChargeTypes.includes(paid));
    if (instanceType !== null && !mayBeAsked) continue;
    const position = `InstanceTypeQuotaSet[${i}]`;
    if (zone === null || instanceType === null) {
      const problem = `the ${instanceType === null ? 'instance type' : 'zone'} cannot be read`;
      anomalies.push({ kind: 'invalid-row', detail: `${position}: ${problem}` });
      isWhole = false;
      continue;
    }
    const where = `${position} (${instanceType} in ${quoted(zone, 64)})`;
    if (chargeType === null) {
      const detail = `${where}: unknown InstanceChargeType ${quoted(paid ?? '', 32)}`;
      anomalies.push({ kind: 'invalid-row', detail });
      const unknown = { zone, sells: null, level: null, cpu: null };
      unclear.push(...ofType.map((offer) => ({ ...offer, ...unknown })));
      continue;
    }
    const row = { ...stateOf(given), instanceType, chargeType, zone };
    for (const problem of problemsOf(given, row, areLevelsOptional)) {
      // Spot quotas count vCPUs, so that a spot launch cannot be judged without the number of them.
      const isNeeded = row.sells === null || (row.cpu === null && chargeType === 'spotpaid');
      const detail = `${where}: ${problem}`;
      anomalies.push({ kind: 'invalid-row', detail, isHarmless: !isNeeded });
    }
    const key = offerInZoneKey(row);
    rows.set(key, better(rows.get(key), row));
  }
  for (const row of unclear) {
    const key = offerInZoneKey(row);
    if (!rows.has(key)) rows.set(key, row);
  }
  return { snapshot: { asked, isWhole, rows: [...rows.values()], missing }, anomalies };
}

/**
 * The rows with a readable size, charge type and zone. A check offers these types in place of one that cannot be had,
 * so a row that cannot be read is dropped without an anomaly.
 */
export function sizesIn(rows: readonly GivenRow[]): readonly SizedType[] {
  return rows.flatMap((row) => {
    const { data } = sizedTypeSchema.safeParse({
      ...row,
      ...stateOf(row),
      chargeType: chargeTypeOf(row.paid),
      class: row.typeName?.replace(row.family ?? '', '').trim(),
    });
    return data ?? [];
  });
}

/**
 * What a row says of the stock. `sells`: `null` if Status is unknown. `level`: the index of StatusCategory, 0 if it is
 * sold out, `null` if it is absent or unknown.
 */
function stateOf({ category, cpu, status }: GivenRow) {
  const level = levels.indexOf(category);
  const isSoldOut = status === 'SOLD_OUT' || level === 0;
  return {
    sells: isSoldOut ? false : status === 'SELL' ? true : null,
    level: level === -1 ? null : isSoldOut ? 0 : level,
    cpu,
  };
}

/** A phrase for each field of a row that cannot be read. */
function problemsOf(
  { category, status }: GivenRow,
  { cpu, level, sells }: StockRow,
  areLevelsOptional: boolean,
): readonly string[] {
  const isLevelKnown = sells === null || level !== null || (category === null && areLevelsOptional);
  return [
    ...(sells === null ? [`unknown Status ${quoted(status ?? '', 32)}`] : []),
    ...(isLevelKnown ? [] : [`unknown StatusCategory ${quoted(category ?? '', 32)}`]),
    ...(cpu === null ? ['unknown Cpu'] : []),
  ];
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
