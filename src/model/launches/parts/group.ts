/** The part `group` of a launch: whether the status of its scaling group, and of the launch configuration, lets it start. */
import { free, unknown, type LaunchPart } from './part.ts';

/** The statuses with which a group starts nothing. With those of a load balancer (`LB_…`) it does start instances. */
const badStatuses = [
  ...['CVM_ABNORMAL', 'VPC_ABNORMAL', 'SUBNET_ABNORMAL', 'INSUFFICIENT_BALANCE'],
  ...['IMAGE_ABNORMAL', 'CBS_SNAP_ABNORMAL', 'SECURITY_GROUP_ABNORMAL'],
];

export const groupPart: LaunchPart<'group'> = {
  name: 'group',
  operation: 'DescribeAutoScalingGroups',
  holds:
    'of a scaling group only. 0 while the status of the group, or of its launch configuration, is a bad one that is listed; else it sets no bound',
  reasons: {
    group: {
      warning: 'for a status of a load balancer, which stops no launch',
      remedy: 'put right what the status names, such as the image of the launch configuration.',
      codes: [],
    },
  },
  judge: ({ groupId }, { configurations, groups }) => {
    if (groupId === '') return null;
    const group = groups.get(groupId);
    const configuration = configurations.get(group?.configurationId ?? '');
    const statuses = [group?.status, configuration?.status];
    const bad = statuses.find((status) => badStatuses.includes(status ?? ''));
    if (bad) return { ...free, roomFor: 0, reason: 'group', detail: bad };
    const fields = [group?.isEnabled, group?.instances, group?.maxSize, ...statuses];
    const areRead = fields.every((field) => field !== null && field !== undefined);
    const notNormal = statuses.filter((status) => status !== 'NORMAL');
    const areOfBalancer = notNormal.every((status) => status?.startsWith('LB_') === true);
    if (!areRead || !areOfBalancer) return unknown;
    const [ofBalancer] = notNormal;
    if (!ofBalancer) return free;
    const warning = { severity: 'warning', isHarmless: true } as const;
    return { ...free, ...warning, reason: 'group', detail: ofBalancer };
  },
  text: ({ detail, reason }, _option, _room, { say }) =>
    reason === null ? say('group: normal') : say('status {status}', { status: detail }),
};
