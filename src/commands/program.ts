/** The whole command line. */
import { Command, CommanderError } from 'commander';
import { readBuildInfo } from '../daemon/build-info.ts';
import type { BuildInfo } from '../model/build-info.ts';
import { nearest } from '../validation/nearest.ts';
import { checkConfigCommand } from './check-config.ts';
import { checkWebConfigCommand } from './check-web-config.ts';
import { checkCommand } from './check.ts';
import { completionCommand } from './completion.ts';
import { checkExitCodes, explain, UsageError, type ExitWith } from './command.ts';
import { demoCommand } from './demo.ts';
import { emulateCommand } from './emulate.ts';
import { initCommand } from './init.ts';
import { examples } from './options.ts';
import { printPolicyCommand } from './print-policy.ts';
import { serveCommand } from './serve.ts';

/** Runs the command of the arguments, and returns the exit code. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = createProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argv);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : failureCode(argv);
    process.stderr.write(`${explain(error)}\n`);
    if (error instanceof UsageError)
      process.stderr.write(`${helpHint(program, program.args[0])}\n`);
    return failureCode(argv);
  }
}

/** `check` and `init` must not fail with 1, which means a warning about a quota. */
export function failureCode([, , command = '']: readonly string[]): number {
  return ['check', 'init'].includes(command) ? checkExitCodes.unknown : 1;
}

/** The commands and their flags. `exitWith` receives the exit code. */
export function createProgram(exitWith: ExitWith): Command {
  const program = new Command('cvm-quota-monitor')
    .description(
      'Watches the quotas and launch templates of cloud compute accounts for Prometheus.',
    )
    .version(versionText(readBuildInfo(process.env)), '--version', 'print version and revision')
    .helpCommand('help [command]', "print a command's help")
    .addHelpText(
      'after',
      examples(
        ['demo', 'a demo that needs only this machine'],
        ['init', 'write a configuration'],
        ['check --config.file=config.yaml', 'how much of each quota remains'],
        ['serve --config.file=config.yaml', 'the daemon'],
        ['serve --help', 'the flags of a command'],
      ),
    );
  const commands = [
    serveCommand(exitWith),
    demoCommand(exitWith),
    checkCommand(exitWith),
    checkConfigCommand(),
    checkWebConfigCommand(exitWith),
    emulateCommand(exitWith),
    printPolicyCommand(),
    initCommand(exitWith),
    completionCommand(),
  ];
  for (const command of commands) program.addCommand(command);
  for (const command of [program, ...commands]) {
    command
      .helpOption('-h, --help', 'print this help')
      .showHelpAfterError(helpHint(program, command === program ? undefined : command.name()))
      .exitOverride()
      .configureOutput({
        outputError: (text, write) => {
          write(withSuggestion(text, command));
        },
      });
  }
  return program;
}

function versionText({ version, revision }: BuildInfo): string {
  return `${version} (revision ${revision === '' ? 'unknown' : revision})`;
}

/** The end of a usage error. */
function helpHint(program: Command, command = ''): string {
  return `Help: ${program.name()}${command && ` ${command}`} --help`;
}

/** Suggests a flag. Commander would do so for `--confi.file PATH`, but not for `--confi.file=PATH`. */
function withSuggestion(text: string, command: Command): string {
  const [, flag] = /^error: unknown option '(--[^=']+)=/.exec(text) ?? [];
  if (flag === undefined) return text;
  const known = command.options.map(({ long }) => long ?? '');
  const meant = nearest(flag, known);
  return `error: unknown option '${flag}'\n${meant === null ? '' : `(Did you mean ${meant}?)\n`}`;
}
