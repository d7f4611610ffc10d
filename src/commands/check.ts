import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDurationMs } from '../validation/parse-duration.ts';
import {
  addConfigOption,
  examples,
  logFormatOption,
  logLevelOption,
  namesOption,
  validArgument,
  type ExitWith,
} from './options.ts';
import { parseThreshold, type Threshold } from '../model/thresholds.ts';
import type { CheckFlags } from './run/check.ts';

const outputs = [
  'table',
  'json',
  'prometheus',
  'nagios',
] as const satisfies readonly CheckFlags['output'][];

/** `check`: polls every target once, and prints how much of each quota remains. */
export function checkCommand(exitWith: ExitWith): Command {
  return addConfigOption(new Command('check'))
    .description('poll every target once, and print how much of each quota remains')
    .addOption(namesOption('--account <name>', 'poll only this account; may be repeated'))
    .addOption(namesOption('--region <name>', 'poll only this region; may be repeated'))
    .addOption(
      new Option(
        '--timeout <duration>',
        'end after this time; what has no answer by then counts as unknown',
      ).argParser(readTimeout),
    )
    .addOption(
      new Option('--output <form>', 'the format of the result').choices(outputs).default('table'),
    )
    .option('--all', 'show in the table what is fine, too', false)
    .addOption(thresholdOption('warn', 'warning'))
    .addOption(thresholdOption('critical', 'critical'))
    .addOption(logLevelOption('warn'))
    .addOption(logFormatOption())
    .addHelpText('after', helpEnd)
    .action(async (flags: CheckFlags) => {
      const { checkThenEnd } = await import('./run/check.ts');
      const { processSurroundings } = await import('./run/surroundings.ts');
      exitWith(await checkThenEnd(flags, processSurroundings()));
    });
}

const helpEnd = `
Exit codes:
  0  fine: no quota is low, and nothing is unknown
  1  warning: less than the warning threshold of a quota remains
  2  critical: less than the critical threshold of a quota remains, or more is in use than allowed
  3  unknown: a target could not be polled, an answer lacked something, an account that watches quotas
     gave none, or a flag or the file is wrong
If several apply, the first of 2, 3, 1, 0 counts. 130 when interrupted.
${examples(
  ['check --config.file=config.yaml', 'what is not fine, and the verdict'],
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
  return validArgument(
    parseThreshold(text),
    'a share from 0% to 100% such as 20%, or a count such as 5. A fraction such as 0.2 could mean either',
  );
}

const maxTimeoutMs = 86_400_000;

function readTimeout(text: string): number {
  const timeoutMs = parseDurationMs(text);
  if (timeoutMs === null || timeoutMs === 0 || timeoutMs > maxTimeoutMs) {
    throw new InvalidArgumentError('Expected a duration of at most a day, such as 30s.');
  }
  return timeoutMs;
}
