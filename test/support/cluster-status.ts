/** What a daemon knows of its cluster, for tests of what people see. */
import type {
  ClusterAccount,
  ClusterMember,
  ClusterStatus,
} from '../../src/model/cluster-status.ts';

export const member = (name: string, fields: Partial<ClusterMember> = {}): ClusterMember => ({
  id: name,
  name,
  configuration: '3f2a9c01d4e5',
  version: '0.1.0',
  startedAtMs: Date.UTC(2026, 1, 3, 12),
  silentMs: 1_000,
  isThis: false,
  ...fields,
});

export const accountCycle = (
  account: string,
  fields: Partial<ClusterAccount> = {},
): ClusterAccount => ({
  account,
  polledBy: null,
  waitingSinceMs: null,
  ...fields,
});

/** Two daemons; the first one is that of the page. */
export const clusterStatus = ({
  accounts = [accountCycle('production', { polledBy: 'web-2:9' }), accountCycle('staging')],
  ...fields
}: Partial<Omit<ClusterStatus, 'accounts'>> & {
  readonly accounts?: readonly ClusterAccount[];
} = {}): ClusterStatus => ({
  members: [member('web-1:14', { isThis: true }), member('web-2:9')],
  accounts: () => accounts,
  lockMs: 15_000,
  takenOver: 0,
  problem: null,
  ...fields,
});
