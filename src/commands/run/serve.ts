import { readBuildInfo } from '../../daemon/build-info.ts';
import { collectors as ownCollectors } from '../../collectors/collectors.ts';
import { loadConfigInTime } from '../../config/config.ts';
import { Daemon } from '../../daemon/daemon.ts';
import { createLogger } from '../../logging/create-logger.ts';
import type { ConfigFlags, ListenFlags, LogFlags } from './flags.ts';
import { readConfig } from './read-config.ts';
import { runUntilSignal } from './run-until-signal.ts';

export interface ServeFlags extends ConfigFlags, ListenFlags, LogFlags {
  readonly 'storage.path': string;
  readonly 'web.enableLifecycle': boolean;
}

export function serve(flags: ServeFlags, collectors = ownCollectors): Promise<number> {
  const logger = createLogger({ level: flags['log.level'], format: flags['log.format'] });
  return runUntilSignal(
    ({ fail, signal }) =>
      Daemon.start({
        collectors,
        signal,
        loadConfig: () =>
          readConfig(flags['config.file'], { collectors, load: loadConfigInTime, signal }),
        listenAddress: flags['web.listenAddress'],
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
