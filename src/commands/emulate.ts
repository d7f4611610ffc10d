/** The command `emulate`: runs only the emulator of the cloud service, with the accounts of a scenario file. */
import type { Command } from 'commander';
import { demoScenarioFile } from '../emulator/scenario-files.ts';
import { ListenError } from '../expose/listen-address.ts';
import help from './help.json' with { type: 'json' };
import { addFlags, addLogOptions, listenFlag, type ListenFlags, type LogFlags } from './options.ts';
import { runUntilSignal } from './run-until-signal.ts';

export function define(command: Command): void {
  addFlags(command, help.commands.emulate.flags, {
    '--web.listen-address <host:port>': listenFlag('127.0.0.1:10043'),
    '--scenario <path>': (flag) => flag.default(demoScenarioFile, 'that of demo'),
  });
  addLogOptions(command);
}

/**
 * Runs until a signal stops the emulator.
 *
 * @throws InvalidFileError for a scenario with a mistake
 * @throws ListenError for an address that is in use or not permitted
 */
export function run(flags: ListenFlags & LogFlags & { readonly scenario: string }) {
  return runUntilSignal(flags, async ({ logger: log }) => {
    const { scenario, 'web.listenAddress': address } = flags;
    const { startEmulator } = await import('../emulator/emulator.ts');
    const { host = '::', port } = address;
    try {
      const { url, close } = await startEmulator({ host, port, scenario, log });
      log.info('emulating', { url, control: `${url}/_emulator/`, scenario });
      return { stop: close };
    } catch (error) {
      // Only an error from listening has a `syscall`: a scenario that cannot be read is an InvalidFileError.
      const isOfAddress = error instanceof Error && 'syscall' in error;
      throw isOfAddress ? new ListenError(address, error) : error;
    }
  });
}
