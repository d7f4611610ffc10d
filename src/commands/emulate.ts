import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import {
  examples,
  listenOption,
  logFormatOption,
  logLevelOption,
  type ExitWith,
  type ListenFlags,
  type LogFlags,
} from './options.ts';

/** The scenario that comes with the package: what `demo` runs on, and `emulate` without a file. */
export const demoScenarioFile = fileURLToPath(new URL('../../config/demo.yaml', import.meta.url));

export interface EmulateFlags extends ListenFlags, LogFlags {
  readonly scenario: string;
}

/** `emulate`: the emulator alone, until a signal ends it. */
export function emulateCommand(exitWith: ExitWith): Command {
  return new Command('emulate')
    .description('serve an emulator of the cloud service, to rehearse alerts and test clients')
    .addOption(listenOption('127.0.0.1:10043'))
    .addOption(
      new Option('--scenario <path>', 'what the emulated accounts hold').default(
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
        ['emulate --scenario=scenario.yaml', 'accounts, quotas, templates and faults of your own'],
      ),
    )
    .action(async (flags: EmulateFlags) => {
      const { emulate } = await import('./run/emulate.ts');
      exitWith(await emulate(flags));
    });
}
