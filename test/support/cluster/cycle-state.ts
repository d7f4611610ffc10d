/** The cycles of accounts, as Redis has them. */
import { accountKeys, clusterKeys } from '../../../src/cluster/keys.ts';
import type { ClusterWorld } from './cluster-world.ts';

export interface CycleState {
  readonly account: string;
  /** Rises with each cycle. */
  readonly epoch: number;
  /** Rises with each write. */
  readonly revision: number;
  /** The process of the daemon; 0 when it is no member any more. */
  readonly pid: number;
  readonly isRunning: boolean;
  /** Whether a cycle was complete. */
  readonly isFinished: boolean;
}

/** A function that reads all of them. */
export function cycleReader({ accounts, redis }: ClusterWorld): () => Promise<CycleState[]> {
  const connection = redis.connect();
  const pids = new Map<string, number>();
  const readMembers = async () => {
    const members = await connection.hgetall(clusterKeys('test').members);
    for (const [id, about] of Object.entries(members)) {
      const { name } = JSON.parse(about) as { name: string };
      pids.set(id, Number(name.split(':').at(-1)));
    }
  };
  const read = async (account: string): Promise<CycleState> => {
    const { cycle, revisions } = accountKeys('test', account);
    const { epoch, finished, member = '', running } = await connection.hgetall(cycle);
    const [, revision] = await connection.zrange(revisions, -1, -1, 'WITHSCORES');
    return {
      account,
      epoch: Number(epoch ?? 0),
      revision: Number(revision ?? 0),
      pid: pids.get(member) ?? 0,
      isRunning: running === '1',
      isFinished: Number(finished ?? 0) > 0,
    };
  };
  return async () => {
    await readMembers();
    return Promise.all(accounts.map(read));
  };
}
