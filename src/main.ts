#!/usr/bin/env node
/** The entry of the program: runs the command of the arguments. Signals are handled from here on. */
import { forceExitSoon, onSignals, handlerWhileLoading } from './commands/signals.ts';

onSignals(handlerWhileLoading(process.argv[2]));
// Loading the program takes a while, so this import is after the signal handler.
const { failureCode, runProgram } = await import('./commands/program.ts');
// Whoever read the log has gone. A daemon watches on without it.
process.stderr.on('error', () => undefined);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader, such as `head`, has closed the pipe. This is not an error.
  if (error.code === 'EPIPE') return;
  process.stderr.write(`the result cannot be written: ${error.message}\n`);
  process.exit(failureCode(process.argv));
});
const exitCode = await runProgram(process.argv);
process.exitCode = exitCode;
forceExitSoon(exitCode);
