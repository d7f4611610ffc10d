import { readBuildInfo } from '../../daemon/build-info.ts';
import { collectors as ownCollectors } from '../../collectors/collectors.ts';
import { loadConfigInTime } from '../../config/config.ts';
import { Daemon } from '../../daemon/daemon.ts';
import { createLogger } from '../../logging/create-logger.ts';
import { placeOf } from '../../expose/web/external-url.ts';
import type { ListenAddress } from '../../expose/web/listen-address.ts';
import type { Logger } from '../../logging/logger.ts';
import type { ConfigFlags, LogFlags } from './flags.ts';
import { readConfig } from './read-config.ts';
import { runUntilSignal } from './run-until-signal.ts';

export interface ServeFlags extends ConfigFlags, LogFlags {
  readonly 'storage.path': string;
  readonly 'web.listenAddress': readonly ListenAddress[];
  readonly 'web.config.file'?: string;
  readonly 'web.enableOpenHealth': boolean;
  readonly 'web.externalUrl'?: URL;
  readonly 'web.routePrefix'?: string;
  readonly 'web.enableLifecycle': boolean;
}

export function serve(flags: ServeFlags, collectors = ownCollectors): Promise<number> {
  const logger = createLogger({ level: flags['log.level'], format: flags['log.format'] });
  return runUntilSignal(
    async ({ fail, signal }) =>
      Daemon.start({
        collectors,
        signal,
        loadConfig: () =>
          readConfig(flags['config.file'], { collectors, load: loadConfigInTime, signal }),
        web: {
          addresses: flags['web.listenAddress'],
          protection: await openProtection(flags, logger),
          place: placeOf(flags['web.externalUrl'], flags['web.routePrefix']),
        },
        enableLifecycle: flags['web.enableLifecycle'],
        storagePath: flags['storage.path'],
        build: readBuildInfo(process.env),
        logger,
        onFatal: fail,
        clock: { now: Date.now },
        random: Math.random,
        env: process.env,
      }),
    logger,
  );
}

/** TLS is loaded only if a file asks for it. */
async function openProtection(flags: ServeFlags, logger: Logger) {
  const file = flags['web.config.file'];
  if (file === undefined) return undefined;
  const { WebProtection } = await import('../../web-config/protection.ts');
  return WebProtection.open({
    file,
    isHealthOpen: flags['web.enableOpenHealth'],
    clock: { now: Date.now },
    monotonicMs: () => performance.now(),
    logger,
  });
}
