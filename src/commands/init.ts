import { Command, Option } from 'commander';
import { examples, namesOption, type ExitWith } from './options.ts';
import { credentialsKeys } from '../config/credentials-names.ts';
import type { InitFlags } from './run/init/flags.ts';

/** `init`: writes a configuration for the regions and templates that credentials find, and checks it. */
export function initCommand(exitWith: ExitWith): Command {
  const entries = Object.values(credentialsKeys).flatMap((each) => Object.entries(each));
  const keys = entries.map(([key, value]) => ({
    key,
    option: new Option(
      `--credentials.${key.replaceAll('_', '-')} <${value}>`,
      `the key ${key} of the credentials`,
    ),
  }));
  const command = new Command('init')
    .description('write a commented configuration, from questions or flags, and check it')
    .option('--config.file <path>', 'the file to write; never overwritten', 'config.yaml')
    .option('--account <name>', 'the name of the account in metrics; default: production')
    .addOption(
      new Option('--credentials <type>', 'where the credentials come from').choices(
        Object.keys(credentialsKeys),
      ),
    );
  for (const { option } of keys) command.addOption(option);
  return command
    .addOption(
      namesOption('--region <name>', 'a region to watch, or all for every region; may be repeated'),
    )
    .addOption(
      namesOption(
        '--launch-template <id>',
        'a launch template to watch, or all, or none; may be repeated; default: none',
      ),
    )
    .option('--endpoint <url>', 'the base URL of the service, such as that of an emulator')
    .addHelpText(
      'after',
      `
At a terminal, init asks for what no flag says. Regions and templates are those that the credentials find.
It exits with the code of the check: 0, 1, 2 or 3. 3 also means that nothing was written. 130 when interrupted.
${examples(
  ['init', 'asks questions'],
  [
    'init --credentials=environment --region=ap-guangzhou --launch-template=all',
    'asks nothing but the name of the account',
  ],
  ['init --credentials=none --region=all --endpoint=http://127.0.0.1:10043', 'for an emulator'],
)}`,
    )
    .action(async (flags: InitFlags) => {
      const given = keys.flatMap(({ key, option }): [string, string][] => {
        const value: unknown = command.getOptionValue(option.attributeName());
        return typeof value === 'string' ? [[key, value]] : [];
      });
      const { init } = await import('./run/init/init.ts');
      exitWith(await init(flags, new Map(given)));
    });
}
