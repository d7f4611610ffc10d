/**
 * What a record remembers of the offers that launches need: the last state of each in a zone, and how many answers in a row
 * lacked it. `stock.ts` compares each answer with it. Pure.
 *
 * For a need without a zone, there is an entry of the region as a whole (no zone had a row), one of {@link otherZones} (all
 * zones that never had a row), and one of each zone that had a row.
 */
import type { Difference } from '../../model/change.ts';
import { lackedAfter, pollsToAbsent } from '../../model/inventory.ts';
import {
  isSameOffer,
  offerSchema,
  otherZones,
  type Offer,
  type StockHistory,
  type StockRow,
} from '../../model/launches/launch.ts';
import { text, type Stored } from '../../model/stored.ts';
import { uniqueBy } from '../rows.ts';
import { offerInZoneKey, offerKey, type StockSnapshot } from './answer.ts';

/** An offer that a launch needs, and the zone of the launch. `null` for any zone. */
export const needSchema = offerSchema.extend({ zone: text.nullable() });
type Needs = readonly Stored<typeof needSchema>[];
type OfferInZone = Offer & { readonly zone: string };

/** The states of stock, by level. */
const levelWords = ['sold out', 'nearly gone', 'normal', 'enough'];
/** The state of an offer that is sold, while nothing says how much is left. */
const sellsWithoutLevel = 'sells';
const notOffered = 'not offered';
/** The zone of the entry of a region as a whole. */
const wholeRegion = '';

/** The state that a row gives. `null` for unknown. */
function stateOf({ level, sells }: StockRow): string | null {
  if (sells === null) return null;
  if (!sells) return 'sold out';
  return (level === null ? undefined : levelWords[level]) ?? sellsWithoutLevel;
}

/** Whether a state says only that the type sells, and the other one how much is left. */
function isVaguer(state: string, other: string): boolean {
  return state === sellsWithoutLevel && levelWords.indexOf(other) > 0;
}

/**
 * The state to remember. What is unknown keeps the last state, and so does a sale without a level after a known level.
 *
 * @param last `null` for none
 * @param found in the answer. `null` for unknown
 */
function nextState(last: string | null, found: string | null): string | null {
  if (found === null || last === null) return found ?? last;
  return isVaguer(found, last) ? last : found;
}

/** Whether the next state is another one. A first state is no change, and neither is a level that becomes known. */
function isChange(last: string | null, next: string | null): boolean {
  return last !== null && next !== null && last !== next && !isVaguer(last, next);
}

/** The rows of needed offers: in the zone of the need, or in any if it names none. Metrics have these rows, too. */
export function neededRows<Row extends OfferInZone>(
  rows: readonly Row[],
  needs: Needs,
): readonly Row[] {
  return rows.filter((row) =>
    needs.some((need) => isSameOffer(need, row) && (need.zone ?? row.zone) === row.zone),
  );
}

/**
 * Compares an answer with what is remembered of the needed offers.
 *
 * @returns what is remembered from now on, and the changes of states
 */
export function compareStock(
  before: readonly StockHistory[],
  snapshot: StockSnapshot,
  needs: Needs,
) {
  const remembered = new Map(before.map((entry) => [offerInZoneKey(entry), entry]));
  const found = new Map(snapshot.rows.map((row) => [offerInZoneKey(row), row]));
  const offersWithRow = new Set(snapshot.rows.map(offerKey));
  const needed = needs.flatMap(({ zone, ...offer }) =>
    (zone === null ? [wholeRegion, otherZones] : [zone]).map((each) => ({ ...offer, zone: each })),
  );
  const neededKeys = new Set(needed.map(offerInZoneKey));
  // Remembered offers precede those of the answer, so that another order of the answer changes nothing.
  const offers = uniqueBy(
    [...needed, ...neededRows<OfferInZone>([...before, ...snapshot.rows], needs)],
    offerInZoneKey,
  );
  const differences: Difference[] = [];
  const stock = offers.flatMap(({ chargeType, instanceType, zone }) => {
    const offer = { instanceType, chargeType, zone };
    const key = offerInZoneKey(offer);
    const row = found.get(key);
    const last = remembered.get(key);
    // Whether an answer without a row of the offer lacks it. A type that the service refused is not in `asked`.
    const isProof = snapshot.isWhole && snapshot.asked.some((other) => isSameOffer(other, offer));
    const isRegion = zone === wholeRegion;
    const isNamed = isRegion ? offersWithRow.has(offerKey(offer)) : row !== undefined;
    // A zone of which nothing is remembered has lacked it as long as the zones that have no entry.
    const inOthers = remembered.get(offerInZoneKey({ ...offer, zone: otherZones }));
    const lackedBefore = (last ?? (isRegion ? undefined : inOthers))?.lackedPolls ?? 0;
    const presence = isNamed ? 'named' : isProof ? 'lacking' : 'possible';
    const lackedPolls = lackedAfter(lackedBefore, presence);
    if (last === undefined && !isNamed && lackedPolls === 0) return [];
    if (isRegion || zone === otherZones) {
      return { ...offer, state: null, wasOffered: false, lackedPolls };
    }
    const from = last?.state ?? null;
    // Where no launch names the zone, only an offer with a known state can become one that is not offered.
    const isExpected = from !== null || neededKeys.has(key);
    const withoutRow = isExpected && isProof && lackedPolls === pollsToAbsent ? notOffered : null;
    const state = nextState(from, row === undefined ? withoutRow : stateOf(row));
    if (isChange(from, state)) {
      const extraLabels = { instance_type: instanceType, charge_type: chargeType };
      differences.push({ kind: 'stock-changed', zone, extraLabels, from, to: state });
    }
    const isOffered = state !== null && state !== notOffered;
    return { ...offer, state, wasOffered: isOffered || last?.wasOffered === true, lackedPolls };
  });
  return { durable: { stock }, differences };
}
