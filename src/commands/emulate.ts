/** The command `emulate`: runs only the emulator of the cloud service, with the accounts of a scenario file. */
import { Option, type Command } from 'commander';
import { demoScenarioFile } from '../emulator/scenario-files.ts';
import { ListenError } from '../expose/listen-address.ts';
import type { CommandFile } from './command.ts';
import { addLogOptions, listenOption, type ListenFlags, type LogFlags } from './options.ts';
import { runUntilSignal } from './run-until-signal.ts';

export const examples: CommandFile['examples'] = [
  ['emulate', 'the scenario of demo, at http://127.0.0.1:10043'],
  ['emulate --scenario=scenario.yaml', 'your own accounts, quotas, templates and faults'],
];

export function define(command: Command): void {
  command
    .addOption(listenOption('127.0.0.1:10043'))
    .addOption(
      new Option('--scenario <path>', 'the file with the emulated accounts').default(
        demoScenarioFile,
        'that of demo',
      ),
    );
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
