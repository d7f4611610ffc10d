/** What completion needs to know about the command line, from its commander definition. */
import type { Command, Option } from 'commander';

/** What may follow a flag. `text` is anything, so nothing is suggested. */
export type FlagValue = 'none' | 'text' | 'file' | 'directory' | { readonly choices: Choices };

type Choices = readonly string[];

export interface DescribedFlag {
  /** Such as `--help`. */
  readonly long: string;
  /** Such as `-h`. */
  readonly short: string | null;
  readonly description: string;
  readonly value: FlagValue;
}

export interface DescribedCommand {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly DescribedFlag[];
  /** The values of its only argument. Empty without an argument. */
  readonly argument: Choices;
}

export interface DescribedProgram {
  readonly name: string;
  readonly flags: readonly DescribedFlag[];
  readonly commands: readonly DescribedCommand[];
}

export function describeProgram(program: Command): DescribedProgram {
  const commands = program.createHelp().visibleCommands(program);
  const names = commands.map((command) => command.name());
  return {
    name: program.name(),
    flags: flagsOf(program),
    commands: commands.map((command) => ({
      name: command.name(),
      description: command.description(),
      flags: flagsOf(command),
      // The argument of `help` is the name of a command.
      argument: command.registeredArguments.flatMap(
        (argument) => argument.argChoices ?? (argument.name() === 'command' ? names : []),
      ),
    })),
  };
}

function flagsOf(command: Command): DescribedFlag[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({
      long: option.long ?? '',
      short: option.short ?? null,
      description: option.description,
      value: valueOf(option),
    }));
}

/** The name of the value in the help says what it is. */
function valueOf({ argChoices, flags }: Option): FlagValue {
  if (argChoices !== undefined) return { choices: argChoices };
  const [, name] = /<(.+)>/.exec(flags) ?? [];
  if (name === undefined) return 'none';
  if (name === 'path') return 'file';
  return name === 'dir' ? 'directory' : 'text';
}
