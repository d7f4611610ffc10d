/** The part `disk` of a launch: whether its zone has the cloud disks that each instance gets. */
import { free, unknown, type LaunchPart } from './part.ts';
import { diskKey, diskOffersOf, type DiskOffer, type DiskStock } from '../launch.ts';
import { pollsToAbsent } from '../../inventory.ts';

export const diskPart: LaunchPart<'disk'> = {
  name: 'disk',
  operation: 'DescribeDiskConfigQuota',
  inGroup: 'opens-zone',
  holds:
    '0 if the zone does not have one of the cloud disks of the launch for its family of instance types; else it sets no bound. A disk without a set type does not count',
  reasons: {
    disk: {
      remedy: 'set another disk type, or none, so that the service picks one; or change the zone.',
      codes: ['ResourceInsufficient.CloudDiskSoldOut', 'ResourceInsufficient.CloudDiskUnavailable'],
    },
  },
  judge: (option, { disks: stock }) => {
    const { zone } = option;
    const offers = diskOffersOf(option);
    // Without a zone that sells the type, there is no disk for it to lack.
    if (offers?.length === 0 || zone === '') return null;
    if (offers === null || zone === null || stock === null) return unknown;
    const available = offers.map((offer) => isAvailable(offer, zone, stock));
    const without = offers.filter((_offer, i) => available[i] === false);
    const detail = [...new Set(without.map(({ type }) => type))].join(', ');
    if (without.length > 0) return { ...free, roomFor: 0, reason: 'disk', detail };
    return available.includes(null) ? unknown : free;
  },
  text: ({ detail, reason }, _option, _room, { say }) =>
    reason === null ? say('disks: available') : say('{what}: not available', { what: detail }),
};

/** Whether a zone has the disk. `null` while that is unknown. */
function isAvailable(offer: DiskOffer, zone: string, { isWhole, lacking, rows }: DiskStock) {
  const key = diskKey(offer, zone);
  const row = rows.find((each) => diskKey(each, each.zone) === key);
  if (row !== undefined) return row.isAvailable;
  const pollsOf = (id: string) => lacking.find((each) => each.id === id)?.polls;
  const polls = pollsOf(key) ?? pollsOf(diskKey(offer, ''));
  return isWhole && polls === pollsToAbsent ? false : null;
}
