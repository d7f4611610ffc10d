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

/** Runs only the emulator, until a signal stops it. */
export function run(
  flags: ListenFlags & LogFlags & { readonly scenario: string },
): Promise<number> {
  return runUntilSignal(flags, async ({ logger: log }) => {
    const { scenario, 'web.listenAddress': address } = flags;
    const { startEmulator } = await import('../emulator/emulator.ts');
    const { host = '::', port } = address;
    try {
      const { url, close } = await startEmulator({ host, port, scenario, log });
      log.info('emulating', { url, control: `${url}/_emulator/`, scenario });
      return { stop: close };
    } catch (error) {
      const isOfAddress = error instanceof Error && 'syscall' in error;
      throw isOfAddress ? new ListenError(address, error) : error;
    }
  });
}
