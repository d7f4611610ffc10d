/** The reference of the command line, from its commander definition. */
import type { Command, Option } from 'commander';
import { table } from './markdown.ts';

/** A row for each flag of each command. A flag that several commands have in the same way has one row. */
export function commandReference(program: Command): string {
  const commandsOf = new Map<string, string[]>();
  for (const command of program.commands) {
    for (const option of command.options) {
      const cells = [
        code(option.flags.replace(/ ([<[])/, '=$1')),
        defaultOf(option),
        meaningOf(option),
      ];
      const key = JSON.stringify(cells);
      commandsOf.set(key, [...(commandsOf.get(key) ?? []), code(command.name())]);
    }
  }
  const rows = [...commandsOf].map(([key, commands]) => {
    const [flag, ...others] = JSON.parse(key) as string[];
    return [flag!, commands.join(', '), ...others];
  });
  return table(['flag', 'of', 'default', 'meaning'], rows);
}

function defaultOf({ defaultValue, defaultValueDescription }: Option): string {
  if (defaultValueDescription !== undefined) return code(defaultValueDescription);
  return defaultValue === undefined ? '' : code(String(defaultValue));
}

function meaningOf({ argChoices, description }: Option): string {
  const choices = argChoices === undefined ? '' : `: ${argChoices.map(code).join(', ')}`;
  return description + choices;
}

const code = (text: string) => `\`${text}\``;
