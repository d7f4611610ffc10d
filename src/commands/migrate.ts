import { Command, Option } from 'commander';
import { addConfigOption, examples } from './options.ts';
import type { MigrateFlags } from './run/migrate.ts';

/** `migrate`: copies the records of one daemon to a cluster, or back. */
export function migrateCommand(): Command {
  const command = addConfigOption(new Command('migrate'));
  return command
    .description(
      'copy the records of a storage directory to the cluster of a configuration, or back',
    )
    .addOption(
      new Option('--to <place>', 'where the records are copied to (required)').choices([
        'cluster',
        'files',
      ]),
    )
    .option('--storage.path <dir>', 'the directory with the files', './data')
    .option('--replace', 'replace other records of the same accounts at the destination', false)
    .hook('preAction', () => {
      if (command.getOptionValue('to') === undefined) {
        command.error("error: required option '--to <place>' not specified");
      }
    })
    .addHelpText(
      'after',
      examples(
        ['migrate --config.file=config.yaml --to=cluster', 'before the first start of a cluster'],
        ['migrate --config.file=config.yaml --to=files', 'back to one daemon'],
      ),
    )
    .action(async (flags: MigrateFlags) => {
      const { migrate } = await import('./run/migrate.ts');
      await migrate(flags);
    });
}
