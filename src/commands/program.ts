/** The whole command line. Only the code of the command that runs is loaded, so that each one starts fast. */
import { Command, CommanderError } from 'commander';
import { readBuildInfo } from '../daemon/build-info.ts';
import type { BuildInfo } from '../model/build-info.ts';
import { nearest } from '../validation/nearest.ts';
import { checkExitCodes, explain, InterruptedError, UsageError, type ExitWith } from './command.ts';
import { examples } from './options.ts';

/** What a command does in one line, and its code. */
type Entry = readonly [description: string, load: () => Promise<(exitWith: ExitWith) => Command>];

const commands: Readonly<Record<string, Entry>> = {
  serve: [
    'poll on a schedule, and serve /metrics and a status page',
    async () => (await import('./serve.ts')).serveCommand,
  ],
  demo: [
    'emulator and daemon together; quotas move, a default version changes and a type sells out',
    async () => (await import('./demo.ts')).demoCommand,
  ],
  check: [
    'poll every target once, and print how much of each quota remains',
    async () => (await import('./check.ts')).checkCommand,
  ],
  'check-config': [
    'validate a configuration; print its plan, its requests and its thresholds',
    async () => (await import('./check-config.ts')).checkConfigCommand,
  ],
  'check-web-config': [
    'validate files for --web.config.file, and the certificates that they name',
    async () => (await import('./check-web-config.ts')).checkWebConfigCommand,
  ],
  emulate: [
    'serve an emulator of the cloud service, to test alerts and clients',
    async () => (await import('./emulate.ts')).emulateCommand,
  ],
  'print-policy': [
    'print the access policies with the least privileges, ready to paste',
    async () => (await import('./print-policy.ts')).printPolicyCommand,
  ],
  init: [
    'write a commented configuration, from questions or flags, and check it',
    async () => (await import('./init.ts')).initCommand,
  ],
  completion: [
    'print a script that completes commands, flags and values in a shell',
    async () => (await import('./completion.ts')).completionCommand,
  ],
};

/** Runs the command of the arguments, and returns the exit code. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const exitWith = (code: number) => {
    exitCode = code;
  };
  const [first = '', second = ''] = argv.slice(2).filter((each) => !each.startsWith('-'));
  // The second is the command of `help check`. A script for completion contains the flags of all commands.
  const used = first === 'completion' ? undefined : [first, second];
  const program = await createProgram(exitWith, used);
  try {
    await program.parseAsync(argv);
    return exitCode;
  } catch (error) {
    if (error instanceof InterruptedError) return error.exitCode;
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

/**
 * The commands and their flags.
 *
 * @param exitWith receives the exit code
 * @param used names of the commands whose flags are needed. The others have only a name and a description.
 */
export async function createProgram(
  exitWith: ExitWith,
  used = Object.keys(commands),
): Promise<Command> {
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
  for (const [name, [description, load]] of Object.entries(commands)) {
    const command = used.includes(name) ? (await load())(exitWith) : new Command(name);
    program.addCommand(command.description(description));
  }
  for (const command of [program, ...program.commands]) {
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
