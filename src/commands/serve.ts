import { Command } from 'commander';
import { readBuildInfo } from '../build-info.ts';
import { loadConfig } from '../config/config.ts';
import { Daemon } from '../daemon.ts';
import { createLogger } from '../logging/logger.ts';
import {
  configOption,
  listenOption,
  logFormatOption,
  logLevelOption,
  type ConfigFlags,
  type ExitWith,
  type ListenFlags,
  type LogFlags,
} from './options.ts';
import { runUntilSignal } from './run-until-signal.ts';

interface Flags extends ConfigFlags, ListenFlags, LogFlags {
  readonly 'storage.path': string;
}

/** `serve`: the daemon, until a signal ends it. */
export function serveCommand(exitWith: ExitWith): Command {
  return new Command('serve')
    .description('poll on a schedule, and serve /metrics and a status page')
    .addOption(configOption())
    .addOption(listenOption(':10042'))
    .option('--storage.path <dir>', 'where records are kept', './data')
    .addOption(logLevelOption())
    .addOption(logFormatOption())
    .action(async (flags: Flags) => {
      exitWith(await serve(flags));
    });
}

function serve(flags: Flags): Promise<number> {
  const logger = createLogger({ level: flags['log.level'], format: flags['log.format'] });
  return runUntilSignal(
    ({ fail, signal }) =>
      Daemon.start({
        signal,
        loadConfig: () => loadConfig(flags['config.file']),
        listenAddress: flags['web.listenAddress'],
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
