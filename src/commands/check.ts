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

/** `check`: polls every target once, and prints how much of each quota remains. */
export function checkCommand(exitWith: ExitWith): Command {
  const command = addConfigOption(new Command('check'));
  return command
    .description('poll every target once, and print how much of each quota remains')
    .addOption(
      new Option('--output <form>', 'the format of the result').choices(outputs).default('table'),
    )
    .addOption(
      shareOption(
        '--warn-below <percent>',
        'status warning when less than this share of a quota remains',
        '20%',
      ),
    )
    .addOption(
      shareOption(
        '--critical-below <percent>',
        'status critical when less than this share of a quota remains',
        '10%',
      ),
    )
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
  0  fine: no quota is low, and nothing is unknown
  1  warning: less than --warn-below of a quota remains
  2  critical: less than --critical-below of a quota remains, or more is in use than allowed
  3  unknown: a target could not be polled, an answer lacked something, or a flag or the file is wrong
If several apply, the first of 2, 3, 1, 0 counts. 130 when interrupted.
${examples(
  ['check --config.file=config.yaml', 'a table, the worst quota first'],
  ['check --config.file=config.yaml --warn-below=30% --critical-below=15%', 'higher thresholds'],
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
