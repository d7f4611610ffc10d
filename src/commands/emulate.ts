import { Command, Option } from 'commander';
import { parseListenAddress } from '../expose/listen-address.ts';
import {
  examples,
  logFormatOption,
  logLevelOption,
  validArgument,
  type ExitWith,
} from './options.ts';
import { demoScenarioFile } from '../emulator/demo-scenario.ts';
import type { EmulateAddress, EmulateFlags } from './run/emulate.ts';

function readAddress(text: string): EmulateAddress {
  if (/^unix:./.test(text)) return { socketPath: text.slice('unix:'.length) };
  return validArgument(parseListenAddress(text), 'HOST:PORT or :PORT, or unix:PATH');
}

const defaultAddress = '127.0.0.1:10043';

/** `emulate`: runs only the emulator, until a signal stops it. */
export function emulateCommand(exitWith: ExitWith): Command {
  return new Command('emulate')
    .description('serve an emulator of the cloud service, to test alerts and clients')
    .addOption(
      new Option('--web.listen-address <address>', 'where to listen: HOST:PORT, :PORT or unix:PATH')
        .argParser(readAddress)
        .default(readAddress(defaultAddress), defaultAddress),
    )
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
