#!/usr/bin/env node
/** The entry of the program: runs the command of the arguments. Signals are handled from here on. */
import { onSignals, whileLoading } from './commands/run/signals.ts';

onSignals(whileLoading(process.argv[2]));
// Loading the program takes a while, so this import is after the signal handler.
const { runProgram } = await import('./commands/program.ts');
process.exitCode = await runProgram(process.argv);
