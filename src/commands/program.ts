/** The whole command line, which main.ts runs. Only the code of the command that runs is loaded, so that each starts fast. */
import { Command, CommanderError } from 'commander';
import { readBuildInfo } from '../daemon/runtime.ts';
import { suggestion } from '../validation/nearest.ts';
import { checkExitCodes, explain, UsageError, type CommandFile } from './command.ts';

const descriptions = {
  serve: 'poll on a schedule, and serve /metrics and a status page',
  demo: 'emulator and daemon together; quotas move, a default version changes and a type sells out',
  check: 'poll every target once; print what remains, and which launches would fail',
  'check-config': 'validate a configuration; print its plan, its requests and its thresholds',
  'check-web-config': 'validate files for --web.config.file, and the certificates that they name',
  emulate: 'serve an emulator of the cloud service, to test alerts and clients',
  'print-policy': 'print the access policies with the least privileges, ready to paste',
  init: 'write a commented configuration, from questions or flags, and check it',
  completion: 'print a script that completes commands, flags and values in a shell',
};

const files: Readonly<Record<string, () => Promise<CommandFile>>> = {
  serve: () => import('./serve.ts'),
  demo: () => import('./demo.ts'),
  check: () => import('./check.ts'),
  'check-config': () => import('./check-config.ts'),
  'check-web-config': () => import('./check-web-config.ts'),
  emulate: () => import('./emulate.ts'),
  'print-policy': () => import('./print-policy.ts'),
  init: () => import('./init.ts'),
  completion: () => import('./completion.ts'),
} satisfies Record<keyof typeof descriptions, unknown>;

/**
 * Runs the command of the arguments. Never rejects: an error is printed, and gives an exit code.
 *
 * @param argv as `process.argv`
 * @returns the exit code
 */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const [first = '', second = ''] = argv.slice(2).filter((word) => !word.startsWith('-'));
  // `help check` needs the flags of its second word, and `completion` those of all commands.
  const used = first === 'completion' ? undefined : [first, second];
  const program = await createProgram(used, (code) => {
    exitCode = code;
  });
  const names = [...Object.keys(descriptions), 'help'];
  try {
    if (first === 'help' && second !== '' && !names.includes(second)) {
      program.error(`error: unknown command '${second}'${suggestion(second, names)}`);
    }
    // Commander suggests a known flag for `--confi.file PATH`, but not for `--confi.file=PATH`: a flag and its value are parted.
    await program.parseAsync(
      // Other exporters have `version` as a command.
      (first === 'version' ? [...argv.slice(0, 2), '--version'] : argv).flatMap(
        (word) => /^(--[^=]+)=(.*)$/s.exec(word)?.slice(1) ?? word,
      ),
    );
    return exitCode;
  } catch (error) {
    // Help, version and interrupts have codes of their own. Commander has printed its own errors.
    if (error instanceof CommanderError && error.exitCode !== 1) return error.exitCode;
    if (!(error instanceof CommanderError)) process.stderr.write(`${explain(error)}\n`);
    return failureCode(argv);
  }
}

/** The exit code of an error, by `process.argv`. `check` and `init` must not fail with 1, which means a warning about a quota. */
export function failureCode([, , command = '']: readonly string[]): number {
  return ['check', 'init'].includes(command) ? checkExitCodes.unknown : 1;
}

/**
 * The definition of the command line: commands, flags and help.
 *
 * @param used names of the commands whose flags are needed: by default all. The others have only a name and a description
 * @param exitWith receives the exit code of the command that was run
 */
export async function createProgram(
  used: readonly string[] = Object.keys(descriptions),
  exitWith: (code: number) => void = () => undefined,
): Promise<Command> {
  const { version, revision } = readBuildInfo(process.env);
  const build = `${version} (revision ${revision === '' ? 'unknown' : revision})`;
  const program = new Command('cvm-quota-monitor')
    .description(
      'Watches the quotas and launch templates of cloud compute accounts for Prometheus.',
    )
    .version(build, '-v, --version', 'print version and revision')
    .helpCommand('help [command]', "print a command's help");
  /** Adds what the program and each command have: examples, help, and errors that end no process. */
  const setUp = (command: Command, examples: CommandFile['examples']) => {
    const lines = examples.map(([args, effect]) => `  # ${effect}\n  ${program.name()} ${args}`);
    return command
      .addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
      .helpOption('-h, --help', 'print this help')
      .showHelpAfterError(
        `Help: ${program === command ? '' : `${program.name()} `}${command.name()} --help`,
      )
      .configureOutput({
        outputError: (text, write) => {
          write(withWholeFlag(text, command));
        },
      })
      .exitOverride();
  };
  for (const [name, description] of Object.entries(descriptions)) {
    const command = program.command(name).description(description);
    const file = used.includes(name) ? await files[name]?.() : undefined;
    if (file === undefined) continue;
    file.define(command);
    setUp(command, file.examples).action(async () => {
      try {
        exitWith((await file.run(command.opts(), command)) ?? 0);
      } catch (error) {
        throw error instanceof UsageError ? command.error(explain(error)) : error;
      }
    });
  }
  return setUp(program, [
    ['demo', 'a demo that needs only this machine'],
    ['init', 'write a configuration'],
    ['check --config.file=config.yaml', 'how much of each quota remains'],
    ['serve --config.file=config.yaml', 'the daemon'],
    ['serve --help', 'the flags of a command'],
  ]);
}

/** The text of an error. For an unknown flag that begins another one, with a suggestion: `--config.file` for `--config`. */
function withWholeFlag(text: string, { options }: Command): string {
  const [, typed] = /^error: unknown option '(--[^']+)'\n$/.exec(text) ?? [];
  const whole = options.find(({ long }) => typed !== undefined && long?.startsWith(`${typed}.`));
  return whole === undefined ? text : `${text.trimEnd()}\n(Did you mean ${whole.long}?)\n`;
}
