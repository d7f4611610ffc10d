import { Command, InvalidArgumentError, Option } from 'commander';
import {
  addConfigOption,
  examples,
  logFormatOption,
  logLevelOption,
  type ExitWith,
} from './options.ts';
import type { CheckFlags } from './run/check.ts';

const outputs = ['table', 'json', 'prometheus'] as const satisfies readonly CheckFlags['output'][];

/** `check`: polls every target once, and tells how much is left of each quota. */
export function checkCommand(exitWith: ExitWith): Command {
  const command = addConfigOption(new Command('check'));
  return command
    .description('poll every target once, and tell how much is left of each quota')
    .addOption(
      new Option('--output <form>', 'the form of the result').choices(outputs).default('table'),
    )
    .addOption(shareOption('--warn-below <percent>', 'warn when less of a quota is left', '20%'))
    .addOption(shareOption('--critical-below <percent>', 'likewise, when it is critical', '10%'))
    .addOption(logLevelOption('warn'))
    .addOption(logFormatOption())
    .addHelpText('after', helpEnd)
    .action(async (flags: CheckFlags) => {
      if (flags.criticalBelow > flags.warnBelow) {
        command.error('error: --critical-below must not be more than --warn-below');
      }
      const { check } = await import('./run/check.ts');
      exitWith(await check(flags));
    });
}

const helpEnd = `
Exit codes:
  0  fine: no quota is low; one with a limit of 0 never is
  1  warning: less than --warn-below of a quota is left
  2  critical: less than --critical-below of a quota is left
  3  could not tell: a target could not be polled, or a flag or the file is wrong
The first of 2, 3, 1, 0 that applies. 130 when interrupted.
${examples(
  ['check --config.file=config.yaml', 'a table, the worst quota first'],
  ['check --config.file=config.yaml --warn-below=30% --critical-below=15%', 'be told earlier'],
  [
    "check --config.file=config.yaml --output=json | jq '.quotas[0]'",
    'the worst quota, for a script',
  ],
)}`;

function shareOption(flags: string, description: string, fallback: string): Option {
  return new Option(flags, description).argParser(readShare).default(readShare(fallback), fallback);
}

/** Reads `20%` or `20` as 0.2. */
function readShare(text: string): number {
  const [, digits = ''] = /^(\d+(?:\.\d+)?)%?$/.exec(text) ?? [];
  if (digits === '' || Number(digits) > 100) {
    throw new InvalidArgumentError('Expected a percentage from 0% to 100%, such as 20%.');
  }
  return Number(digits) / 100;
}
