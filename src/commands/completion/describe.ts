/** What completion needs to know about the command line, from its commander definition. */
import type { Command, Option } from 'commander';

/** What may follow a flag: one of some words, or anything, which is `text`: nothing is suggested. */
export type FlagValue = 'none' | 'text' | 'file' | 'directory' | readonly string[];

export function commandsOf(program: Command): readonly Command[] {
  return program.createHelp().visibleCommands(program);
}

export function flagsOf(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

/** Such as `--help`. */
export function longOf({ long = '' }: Option): string {
  return long;
}

/** The values of a command's only argument. The argument of `help` is the name of a command. */
export function argumentsOf(command: Command, program: Command): readonly string[] {
  const names = commandsOf(program).map((each) => each.name());
  return command.registeredArguments.flatMap(
    (argument) => argument.argChoices ?? (argument.name() === 'command' ? names : []),
  );
}

/** The name of the value in the help says what it is. */
export function valueOf({ argChoices, flags }: Option): FlagValue {
  if (argChoices !== undefined) return argChoices;
  const [, name] = /<(.+)>/.exec(flags) ?? [];
  if (name === undefined) return 'none';
  if (name === 'path') return 'file';
  return name === 'dir' ? 'directory' : 'text';
}
