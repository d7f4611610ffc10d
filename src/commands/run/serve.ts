import { readBuildInfo } from '../../daemon/build-info.ts';
import { collectors as ownCollectors } from '../../collectors/collectors.ts';
import { loadConfigInTime, type Config } from '../../config/config.ts';
import type { Surroundings } from '../../daemon/surroundings.ts';
import { Daemon } from '../../daemon/daemon.ts';
import { createLogger, type Logger } from '../../log.ts';
import type { Shard } from '../../expose/metrics/shard.ts';
import { placeOf } from '../../expose/external-url.ts';
import type { ListenAddress } from '../../expose/listen-address.ts';
import type { ConfigFlags, LogFlags } from './flags.ts';
import { readConfig } from './read-config.ts';
import { runUntilSignal } from './run-until-signal.ts';
import { processSurroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';

export interface ServeFlags extends ConfigFlags, LogFlags {
  readonly 'storage.path': string;
  readonly 'web.listenAddress': readonly ListenAddress[];
  readonly 'web.config.file'?: string;
  readonly 'web.enableOpenHealth': boolean;
  readonly 'web.externalUrl'?: URL;
  readonly 'web.routePrefix'?: string;
  readonly 'web.shard'?: Shard;
  readonly 'web.enableLifecycle': boolean;
}

export function serve(flags: ServeFlags, collectors = ownCollectors): Promise<number> {
  const logger = createLogger({ level: flags['log.level'], format: flags['log.format'] });
  const surroundings = processSurroundings();
  const { fileCalls } = surroundings;
  const load = (file: string) => loadConfigInTime(file, collectors, fileCalls);
  return runUntilSignal(
    async ({ fail, signal }) =>
      Daemon.start({
        ...surroundings,
        collectors,
        signal,
        loadConfig: async () => {
          const config = await readConfig(flags['config.file'], { collectors, load, signal });
          checkShard(flags, config);
          return config;
        },
        web: {
          addresses: flags['web.listenAddress'],
          protection: await openProtection(flags, logger, surroundings),
          place: placeOf(flags['web.externalUrl'], flags['web.routePrefix']),
        },
        shard: flags['web.shard'],
        enableLifecycle: flags['web.enableLifecycle'],
        storagePath: flags['storage.path'],
        build: readBuildInfo(surroundings.env),
        logger,
        onFatal: fail,
      }),
    logger,
  );
}

/**
 * @throws UsageError when one daemon alone would show only a part of its accounts: no other daemon has the rest
 */
function checkShard(flags: ServeFlags, { cluster }: Config): void {
  if (flags['web.shard'] === undefined || cluster !== null) return;
  throw new UsageError(
    '--web.shard needs `cluster` in the configuration: without it, no other daemon shows the other accounts',
  );
}

/** TLS is loaded only if a file asks for it. */
async function openProtection(
  flags: ServeFlags,
  logger: Logger,
  { clock, fileCalls }: Surroundings,
) {
  const file = flags['web.config.file'];
  if (file === undefined) return undefined;
  const { WebProtection } = await import('../../expose/web-config/protection.ts');
  return WebProtection.open({
    file,
    isHealthOpen: flags['web.enableOpenHealth'],
    clock,
    calls: fileCalls,
    logger,
  });
}
