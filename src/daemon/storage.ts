/** Where a daemon keeps its records: in files, or in Redis together with other daemons. */
import type { Cluster, ClusterOptions } from '../cluster/cluster.ts';
import { collectors as ownCollectors } from '../collectors/collectors.ts';
import type { Config } from '../config/config.ts';
import { openFileStore } from '../state/file-store.ts';
import type { Store } from '../state/store.ts';
import type { DaemonOptions } from './daemon-options.ts';
import { unlessStopped } from './stopping.ts';

/** What a cluster needs of the daemon that joins it. */
export type JoinOptions = Omit<ClusterOptions, 'config' | 'connection'>;

export type Storage =
  | { readonly kind: 'files'; readonly store: Store }
  | {
      readonly kind: 'cluster';
      /** Begins to connect to Redis. */
      readonly connect: (options: JoinOptions) => Cluster;
    };

/**
 * @throws StoreLockedError when another daemon has the directory
 * @throws Error when a file that the cluster needs cannot be read
 */
export async function openStorage(config: Config, options: DaemonOptions): Promise<Storage> {
  const { clock, collectors = ownCollectors, onFatal, signal, storagePath } = options;
  if (config.cluster === null) {
    const opening = openFileStore({
      collectors,
      directory: storagePath,
      clock,
      signal,
      onLockLost: onFatal,
    });
    return { kind: 'files', store: await unlessStopped(opening, signal) };
  }
  // One daemon alone does not load the job engine.
  const { Cluster, connectionOptions } = await import('../cluster/cluster.ts');
  const { cluster } = config;
  const connection = await connectionOptions(cluster);
  return {
    kind: 'cluster',
    connect: (rest) => new Cluster({ ...rest, config: cluster, connection }),
  };
}
