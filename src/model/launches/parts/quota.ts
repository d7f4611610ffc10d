/** The part `quota` of a launch: what remains for its charge type in its zone. `LaunchPart` in part.ts explains the fields. */
import { bounded, type LaunchPart } from './part.ts';
import { chargeTypes } from '../launch.ts';
import type { Option } from '../options.ts';
import type { RegionFacts } from '../region-facts.ts';
import { isReportable, type Quota } from '../../quota.ts';

export const quotaPart: LaunchPart<'quota'> = {
  name: 'quota',
  operation: 'DescribeAccountQuota',
  isOfEach: true,
  inGroup: 'bounds-zone',
  holds:
    'what remains for its zone and charge type; for spot, divided by the vCPUs of the type; for prepaid at most OnceQuota',
  reasons: {
    quota: {
      remedy: 'raise it, delete instances, or change zone or charge type.',
      codes: [
        'LimitExceeded.InstanceQuota',
        'LimitExceeded.CvmInstanceQuota',
        'InstancesQuotaLimitExceeded',
        'LimitExceeded.PrepayQuota',
        'LimitExceeded.UserSpotQuota',
      ],
    },
  },
  // Does not apply if no target asks for the quota.
  judge: (option, facts) => {
    const { chargeType, zone } = option;
    const types = chargeType === null ? chargeTypes : [chargeType];
    // Of an option, an empty zone is any, and `null` an unknown one. Without one, any zone of the targets counts.
    const quotaZone = zone === '' ? null : zone;
    const isAsked = (type: string) => isReportable(facts.reportable, { type, zone: quotaZone });
    if (!types.some(isAsked)) return null;
    const quota = facts.quotas.find((each) => each.type === chargeType && each.zone === zone);
    const holds = quota === undefined ? null : heldByQuota(quota, option, facts);
    // True if OnceQuota is less than what remains, so that it binds.
    const isByPurchase = holds === quota?.onceLimit && (holds ?? 0) < (quota.remaining ?? 0);
    const isRead = quota !== undefined && quota.remaining !== null && quota.onceLimit !== null;
    return {
      ...bounded(holds, 'quota', option),
      // A scaling group buys in all its zones at once. Without OnceQuota, there is no bound.
      ...(isRead && { atOnce: quota.onceLimit ?? Infinity }),
      detail: isByPurchase ? 'in one purchase' : '',
      // The name that `sharedNameOf` of judge-launch.ts gives the quota.
      shares: chargeType === null ? [] : [`${chargeType} ${zone ?? ''}`],
    };
  },
  text: ({ detail }, { chargeType, instanceType }, room, { say, word }) => {
    const type = instanceType ?? say('the type');
    const text = say('{charge} quota: {room} of {type}', { charge: chargeType ?? '', room, type });
    return `${text} ${word(detail)}`.trim();
  },
};

/**
 * How many instances a quota holds: a spot quota counts vCPUs, and one purchase of prepaid instances has a maximum. `null`
 * while it is unknown.
 */
function heldByQuota(
  { onceLimit = Infinity, remaining }: Quota,
  { chargeType, instanceType }: Option,
  { stock }: RegionFacts,
): number | null {
  if (remaining === null) return null;
  if (remaining <= 0) return 0;
  if (chargeType !== 'spotpaid') return onceLimit === null ? null : Math.min(remaining, onceLimit);
  const ofType = stock?.rows.filter((row) => row.instanceType === instanceType) ?? [];
  const [cpu, ...others] = new Set(ofType.flatMap((row) => row.cpu ?? []));
  // A type has the same vCPUs in each zone.
  return cpu === undefined || cpu === 0 || others.length > 0 ? null : Math.floor(remaining / cpu);
}
