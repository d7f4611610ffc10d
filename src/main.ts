#!/usr/bin/env node
/** The command line: arguments become a command and its exit code. Signals are heeded from here on. */
import { onSignals, whileLoading } from './commands/run/signals.ts';

onSignals(whileLoading(process.argv[2]));
// Imported only now: loading it takes a while.
const { runProgram } = await import('./commands/program.ts');
process.exitCode = await runProgram(process.argv);
