import type { Command } from 'commander';
import { print } from '../print.ts';
import { bashScript } from './bash.ts';
import { describeProgram, type DescribedProgram } from './describe.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

/** The script of each shell. */
export const scripts: Readonly<Record<Shell, (program: DescribedProgram) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Prints the completion script of a shell, made from the definition of the command line. */
export function completion(shell: Shell, program: Command): void {
  print(scripts[shell](describeProgram(program)));
}
