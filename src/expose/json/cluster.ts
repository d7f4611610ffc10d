import type { ClusterStatus } from '../../model/cluster-status.ts';
import { timestamp } from './timestamp.ts';

/** The daemons that share the accounts, and the accounts whose cycle is due and has not begun. */
export function clusterJson({ accounts, members, problem }: ClusterStatus) {
  return {
    members: members.map((member) => ({
      name: member.name,
      version: member.version,
      started_at: timestamp(member.startedAtMs),
      configuration: member.configuration,
      silent_seconds: member.silentMs / 1_000,
      is_this: member.isThis,
    })),
    waiting: accounts.flatMap(({ account, waitingSinceMs }) =>
      waitingSinceMs === null ? [] : [{ account, since: timestamp(waitingSinceMs) }],
    ),
    problem,
  };
}
