import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { startEmulator, type RunningEmulator } from '../emulator/emulator.ts';
import type { ListenAddress } from '../expose/web/listen-address.ts';
import { ListenError } from '../expose/web/server.ts';
import { createLogger } from '../logging/logger.ts';
import {
  listenOption,
  logFormatOption,
  logLevelOption,
  type ExitWith,
  type ListenFlags,
  type LogFlags,
} from './options.ts';
import { runUntilSignal } from './run-until-signal.ts';

/** The scenario that comes with the package: what `demo` runs on, and `emulate` without a file. */
export const demoScenarioFile = fileURLToPath(new URL('../../config/demo.yaml', import.meta.url));

interface Flags extends ListenFlags, LogFlags {
  readonly scenario: string;
}

/** `emulate`: the emulator alone, until a signal ends it. */
export function emulateCommand(exitWith: ExitWith): Command {
  return new Command('emulate')
    .description('serve an emulator of the cloud service, to rehearse alerts and test clients')
    .addOption(listenOption('127.0.0.1:10043'))
    .option('--scenario <path>', 'what the emulated account holds', demoScenarioFile)
    .addOption(logLevelOption())
    .addOption(logFormatOption())
    .action(async (flags: Flags) => {
      exitWith(await emulate(flags));
    });
}

function emulate(flags: Flags): Promise<number> {
  const logger = createLogger({ level: flags['log.level'], format: flags['log.format'] });
  const start = async () => {
    const emulator = await listen(flags['web.listenAddress'], flags.scenario);
    const { url } = emulator;
    logger.info('emulating', { url, control: `${url}/_emulator/`, scenario: flags.scenario });
    return { stop: emulator.close };
  };
  return runUntilSignal(start, logger);
}

/**
 * Starts the emulator.
 *
 * @throws InvalidFileError for a bad scenario, ListenError when the address cannot be had
 */
export async function listen(address: ListenAddress, scenario: string): Promise<RunningEmulator> {
  try {
    return await startEmulator({ scenario, host: address.host ?? '::', port: address.port });
  } catch (error) {
    const isSystemError = error instanceof Error && 'syscall' in error;
    throw isSystemError ? new ListenError(address, error) : error;
  }
}
