#!/usr/bin/env node
/** The command line: arguments become a command and its exit code. */
import { runProgram } from './commands/program.ts';

process.exitCode = await runProgram(process.argv);
