#!/usr/bin/env node
/**
 * The entry of the program: runs the command of the arguments, and ends with its exit code. Signals are handled before
 * the rest of the program is loaded.
 */
import { forceExitSoon, onSignals, handlerWhileLoading } from './commands/signals.ts';

onSignals(handlerWhileLoading(process.argv[2]));
// Loading the program takes a while. A static import would be loaded before the signal handler is set.
const { failureCode, runProgram } = await import('./commands/program.ts');
// The reader of the log has closed the pipe. The daemon goes on without it.
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
