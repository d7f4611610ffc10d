import { Command, CommanderError } from 'commander';
import { readBuildInfo } from '../build-info.ts';
import { ListenError } from '../expose/web/server.ts';
import { StoreError } from '../state/store.ts';
import { InvalidFileError } from '../validated-yaml/problem.ts';
import { checkConfigCommand } from './check-config.ts';
import { demoCommand } from './demo.ts';
import { emulateCommand } from './emulate.ts';
import type { ExitWith } from './options.ts';
import { printPolicyCommand } from './print-policy.ts';
import { serveCommand } from './serve.ts';

/** Runs the command that the arguments name, and gives the exit code. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = createProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argv);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (!isExplained(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

/** Errors whose message says all that a user needs; any other is a fault of ours, with a stack. */
function isExplained(error: unknown): error is Error {
  return (
    error instanceof InvalidFileError || error instanceof ListenError || error instanceof StoreError
  );
}

function createProgram(exitWith: ExitWith): Command {
  const program = new Command('cvm-quota-monitor')
    .description(
      'Watches the quotas and launch templates of cloud compute accounts for Prometheus.',
    )
    .version(readBuildInfo(process.env).version, '--version', 'print the version');
  const commands = [
    serveCommand(exitWith),
    demoCommand(exitWith),
    checkConfigCommand(),
    emulateCommand(exitWith),
    printPolicyCommand(),
  ];
  for (const command of commands) program.addCommand(command);
  for (const command of [program, ...commands]) {
    command.helpOption('--help', 'print this help').exitOverride();
  }
  return program;
}
