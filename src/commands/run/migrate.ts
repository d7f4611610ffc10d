import { connectionOptions } from '../../cluster/connection.ts';
import { collectors } from '../../collectors/collectors.ts';
import type { ClusterConfig } from '../../config/config.ts';
import { counted } from '../../expose/number-format.ts';
import { messageOf } from '../../model/errors.ts';
import { openClusterPlace } from '../../migration/cluster-place.ts';
import { openFilePlace } from '../../migration/file-place.ts';
import { migrate as copy } from '../../migration/migration.ts';
import type { ConfigFlags } from './flags.ts';
import { print } from './print.ts';
import { readConfig } from './read-config.ts';
import { processSurroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';

export interface MigrateFlags extends ConfigFlags {
  readonly to: 'cluster' | 'files';
  readonly 'storage.path': string;
  readonly replace: boolean;
}

/**
 * Copies the records, and prints how many of each account.
 *
 * @throws UsageError for a configuration without a cluster
 * @throws StoreError when daemons run, or the destination has other records
 */
export async function migrate(flags: MigrateFlags): Promise<void> {
  const { cluster: config } = await readConfig(flags['config.file'], {
    collectors,
    readAuthorities: null,
  });
  if (config === null)
    throw new UsageError('the configuration has no `cluster` to migrate to or from');
  const directory = flags['storage.path'];
  const { clock, fileCalls } = processSurroundings();
  const connection = await readConnection(config);
  const files = await openFilePlace({ directory, collectors, clock, calls: fileCalls });
  try {
    const cluster = await openClusterPlace({ config, connection, collectors });
    try {
      const [from, to] =
        flags.to === 'cluster' ? [files.place, cluster.place] : [cluster.place, files.place];
      const { accounts, damaged } = await copy(from, to, {
        replaces: flags.replace,
        onCopied: ({ account, records, written }) => {
          const present = written === records ? '' : `, ${records - written} of them were there`;
          print(`${account}: ${counted(records, 'record')}${present}\n`);
        },
      });
      for (const { name, reason } of damaged) {
        process.stderr.write(`not copied, its target starts over: ${name}: ${reason}\n`);
      }
      const sum = accounts.reduce((total, { records }) => total + records, 0);
      print(`${counted(sum, 'record')} of ${counted(accounts.length, 'account')} in ${to.name}\n`);
    } finally {
      await cluster.close();
    }
  } finally {
    await files.close();
  }
}

async function readConnection(config: ClusterConfig) {
  try {
    return await connectionOptions(config);
  } catch (error) {
    throw new UsageError(`a file of cluster.redis cannot be read: ${messageOf(error)}`);
  }
}
