import { Command, Option } from 'commander';
import {
  examples,
  listenOption,
  logFormatOption,
  logLevelOption,
  type ExitWith,
} from './options.ts';
import { demoScenarioFile } from '../emulator/scenario-files.ts';
import type { EmulateFlags } from './run/emulate.ts';

/** `emulate`: runs only the emulator, until a signal stops it. */
export function emulateCommand(exitWith: ExitWith): Command {
  return new Command('emulate')
    .description('serve an emulator of the cloud service, to test alerts and clients')
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
    .action(async (flags: EmulateFlags) => {
      const { emulate } = await import('./run/emulate.ts');
      exitWith(await emulate(flags));
    });
}
