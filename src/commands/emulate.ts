import { Command, Option } from 'commander';
import type { EmulatorLog } from '../emulator/emulator.ts';
import { demoScenarioFile } from '../emulator/scenario-files.ts';
import { ListenError } from '../expose/listen-address.ts';
import { createLogger } from '../log.ts';
import type { ExitWith } from './command.ts';
import {
  examples,
  listenOption,
  logFormatOption,
  logLevelOption,
  type ListenFlags,
  type LogFlags,
} from './options.ts';
import { runUntilSignal } from './run-until-signal.ts';

interface EmulateFlags extends ListenFlags, LogFlags {
  readonly scenario: string;
}

/** `emulate`: runs only the emulator, until a signal stops it. */
export function emulateCommand(exitWith: ExitWith): Command {
  return new Command('emulate')
    .addOption(listenOption('127.0.0.1:10043'))
    .addOption(
      new Option('--scenario <path>', 'the file with the emulated accounts').default(
        demoScenarioFile,
        'that of demo',
      ),
    )
    .addOption(logLevelOption())
    .addOption(logFormatOption())
    .addHelpText(
      'after',
      examples(
        ['emulate', 'the scenario of demo, at http://127.0.0.1:10043'],
        ['emulate --scenario=scenario.yaml', 'your own accounts, quotas, templates and faults'],
      ),
    )
    .action((flags: EmulateFlags) => emulate(flags).then(exitWith));
}

function emulate(flags: EmulateFlags): Promise<number> {
  const logger = createLogger({ level: flags['log.level'], format: flags['log.format'] });
  const start = async () => {
    const { scenario, 'web.listenAddress': address } = flags;
    const place = { host: address.host ?? '::', port: address.port };
    try {
      const debug: EmulatorLog['debug'] = (message, fields) => {
        logger.debug(message, () => fields);
      };
      const log = { warn: logger.warn, debug };
      const { startEmulator } = await import('../emulator/emulator.ts');
      const { url, close } = await startEmulator({ ...place, scenario, log });
      logger.info('emulating', { url, control: `${url}/_emulator/`, scenario });
      return { stop: close };
    } catch (error) {
      const isOfAddress =
        error instanceof Error &&
        'syscall' in error &&
        (error.syscall === 'listen' || error.syscall === 'getaddrinfo');
      throw isOfAddress ? new ListenError(address, error) : error;
    }
  };
  return runUntilSignal(start, logger);
}
