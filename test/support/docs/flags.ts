/** The reference of the command line, from its commander definition. */
import type { Command, Option } from 'commander';
import { table } from './markdown.ts';

/** A section for each command: its description and its flags. */
export function commandReference(program: Command): string {
  return program.commands.map(sectionOf).join('\n\n');
}

function sectionOf(command: Command): string {
  const arguments_ = command.registeredArguments.map((argument) => ` <${argument.name()}>`);
  const rows = command.options.map((option) => [
    code(option.flags.replace(/ ([<[])/, '=$1')),
    defaultOf(option),
    meaningOf(option),
  ]);
  const flags = rows.length === 0 ? [] : ['', table(['flag', 'default', 'meaning'], rows)];
  return [
    `### \`${command.name()}${arguments_.join('')}\``,
    '',
    sentence(command.description()),
    ...flags,
  ].join('\n');
}

function defaultOf({ defaultValue, defaultValueDescription }: Option): string {
  if (defaultValueDescription !== undefined) return code(defaultValueDescription);
  return defaultValue === undefined ? '' : code(String(defaultValue));
}

function meaningOf({ argChoices, description }: Option): string {
  const choices = argChoices === undefined ? '' : `: ${argChoices.map(code).join(', ')}`;
  return description + choices;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}

const code = (text: string) => `\`${text}\``;
