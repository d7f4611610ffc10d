import { Command, InvalidArgumentError, Option } from 'commander';
import {
  addConfigOption,
  examples,
  logFormatOption,
  logLevelOption,
  type ExitWith,
} from './options.ts';
import { parseThreshold, type Threshold } from '../model/thresholds.ts';
import type { CheckFlags } from './run/check.ts';

const outputs = ['table', 'json', 'prometheus'] as const satisfies readonly CheckFlags['output'][];

/** `check`: polls every target once, and prints how much of each quota remains. */
export function checkCommand(exitWith: ExitWith): Command {
  return addConfigOption(new Command('check'))
    .description('poll every target once, and print how much of each quota remains')
    .addOption(
      new Option('--output <form>', 'the format of the result').choices(outputs).default('table'),
    )
    .addOption(thresholdOption('warn', 'warning'))
    .addOption(thresholdOption('critical', 'critical'))
    .addOption(logLevelOption('warn'))
    .addOption(logFormatOption())
    .addHelpText('after', helpEnd)
    .action(async (flags: CheckFlags) => {
      const { check } = await import('./run/check.ts');
      exitWith(await check(flags));
    });
}

const helpEnd = `
Exit codes:
  0  fine: no quota is low, and nothing is unknown
  1  warning: less than the warning threshold of a quota remains
  2  critical: less than the critical threshold of a quota remains, or more is in use than allowed
  3  unknown: a target could not be polled, an answer lacked something, or a flag or the file is wrong
If several apply, the first of 2, 3, 1, 0 counts. 130 when interrupted.
${examples(
  ['check --config.file=config.yaml', 'a table, the worst quota first'],
  [
    'check --config.file=config.yaml --warn-below=30% --critical-below=15%',
    'other thresholds than those of the configuration, for every quota',
  ],
  [
    "check --config.file=config.yaml --output=json | jq '.quotas[0]'",
    'the worst quota, for a script',
  ],
)}`;

/** A flag that replaces the threshold of a severity. */
function thresholdOption(name: 'warn' | 'critical', severity: string): Option {
  return new Option(
    `--${name}-below <threshold>`,
    `status ${severity} when less than this remains of any quota: a share such as 20%, or a count such as 5 (default: thresholds of the configuration)`,
  ).argParser(readThreshold);
}

function readThreshold(text: string): Threshold {
  const threshold = parseThreshold(text);
  if (threshold === null) {
    throw new InvalidArgumentError(
      'Expected a share from 0% to 100% such as 20%, or a count such as 5. A fraction such as 0.2 could mean either.',
    );
  }
  return threshold;
}
