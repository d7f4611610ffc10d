/** Where a daemon keeps its records: in files, or in Redis together with other daemons. */
import { hostname } from 'node:os';
import type { Cluster, ClusterOptions } from '../cluster/cluster.ts';
import { collectors as ownCollectors } from '../collectors/collectors.ts';
import type { Config } from '../config/config.ts';
import type { Taken } from '../model/advance.ts';
import { FileRecords } from '../state/file-records.ts';
import { openFileStore } from '../state/file-store.ts';
import type { Records } from '../state/records.ts';
import type { DaemonOptions } from './daemon-options.ts';
import { unlessStopped } from './stopping.ts';

/** What the storage needs of its daemon. */
export interface StorageHooks extends Pick<
  ClusterOptions,
  'collectors' | 'published' | 'current' | 'onRead' | 'runCycle'
> {
  /** Called when a stored record that was read late was continued, which no poll does. */
  readonly onLate: (taken: Taken) => void;
}

export interface Kept {
  readonly records: Records;
  /** `null` for one daemon alone. */
  readonly cluster: Cluster | null;
}

/** Opened storage. The function begins to use it. */
export type Storage = (hooks: StorageHooks) => Kept;

/**
 * @throws StoreLockedError when another daemon has the directory
 * @throws Error when a file that the cluster needs cannot be read
 */
export async function openStorage(config: Config, options: DaemonOptions): Promise<Storage> {
  const { build, clock, collectors = ownCollectors, fileCalls, logger } = options;
  const { onFatal, signal, storagePath } = options;
  if (config.cluster === null) {
    const opening = openFileStore({
      collectors,
      directory: storagePath,
      clock,
      calls: fileCalls,
      signal,
      onLockLost: onFatal,
    });
    const store = await unlessStopped(opening, signal);
    return (hooks) => ({ records: new FileRecords({ ...hooks, store, logger }), cluster: null });
  }
  // One daemon alone does not load the job engine.
  const { Cluster, connectionOptions } = await import('../cluster/cluster.ts');
  const own = {
    config: config.cluster,
    connection: await connectionOptions(config.cluster),
    version: build.version,
    name: `${hostname()}:${process.pid}`,
  };
  return (hooks) => {
    const cluster = new Cluster({ ...options, ...hooks, ...own });
    return { records: cluster.records, cluster };
  };
}
