/** The part `stock` of a launch: whether its zone sells the instance type. */
import { free, unknown, type LaunchPart } from './part.ts';
import { isSameOffer, otherZones, type Offer, type Stock, type StockHistory } from '../launch.ts';
import type { Option } from '../options.ts';
import { pollsToAbsent } from '../../inventory.ts';

/** The words of StatusCategory, for a row that sells. */
const levels: Readonly<Record<number, string>> = { 1: 'nearly gone', 2: 'normal', 3: 'enough' };

export const stockPart: LaunchPart<'sold-out' | 'not-offered'> = {
  name: 'stock',
  operation: 'DescribeZoneInstanceConfigInfos',
  inGroup: 'opens-zone',
  holds: '0 if the type is sold out or not offered there; else it sets no bound',
  reasons: {
    'sold-out': {
      warning: 'for spot',
      remedy: 'use another zone or type; for spot, or wait.',
      codes: [
        'ResourceInsufficient.SpecifiedInstanceType',
        'ResourceInsufficient.AvailabilityZoneSoldOut',
        'ResourceInsufficient.InsufficientOfferingMinimum',
        'ResourcesSoldOut.SpecifiedInstanceType',
        'InvalidParameterValue.InsufficientOffering',
      ],
    },
    'not-offered': {
      warning: 'for a type that was never offered, in a zone that nothing names',
      remedy: 'use another zone or type. It is not sold there, or out of stock and hidden.',
      codes: ['ResourceUnavailable.InstanceType', 'UnsupportedOperation.NoInstanceTypeSupportSpot'],
    },
  },
  judge: (option, { stock }) => {
    const { zone } = option;
    const isSame = (offer: Offer) => isSameOffer(option, offer);
    if (zone === null || !stock?.asked.some(isSame)) return unknown;
    const row = stock.rows.find((each) => isSame(each) && each.zone === zone);
    const blocked = { ...free, roomFor: 0 };
    if (row !== undefined) {
      if (row.sells === null) return unknown;
      const detail = levels[row.level ?? 0] ?? 'sells';
      if (row.sells) return { ...free, detail, isTight: row.level === 1 };
      return { ...blocked, reason: 'sold-out', severity: severityOf('sold-out', option, stock) };
    }
    // An answer that is not whole may have it.
    if (!stock.isWhole) return unknown;
    const pollsIn = (where: string) =>
      stock.histories.find((offer) => isSame(offer) && offer.zone === where)?.lackedPolls;
    // It is absent if enough answers lacked it in the zone, or in the whole region.
    const polls = [pollsIn(zone) ?? pollsIn(otherZones), pollsIn('')];
    if (!polls.includes(pollsToAbsent)) return unknown;
    const severity = severityOf('not-offered', option, stock);
    return { ...blocked, reason: 'not-offered', severity };
  },
  text: ({ detail, reason }, _option, _room, { say, word }) => {
    if (reason === 'sold-out') return say('sold out');
    if (reason === null) return say('stock: {level}', { level: word(detail) });
    return say('not offered, or out of stock and hidden');
  },
};

/**
 * How severe a reason of any part is for an option. The part `version` asks, too, if a price is refused for the reason.
 *
 * @param stock `null` while it is unknown
 */
export function severityOf(reason: string, option: Option, stock: Stock | null) {
  const isOfOption = (offer: StockHistory) =>
    isSameOffer(option, offer) && offer.zone === option.zone && offer.wasOffered;
  const isWarning =
    (reason === 'sold-out' && option.chargeType === 'spotpaid') ||
    (reason === 'not-offered' && !option.isZoneNamed && !stock?.histories.some(isOfOption));
  return isWarning ? 'warning' : 'critical';
}
