import type { Command, Option } from 'commander';
import { argumentsOf, commandsOf, flagsOf, longOf, valueOf, type FlagValue } from './describe.ts';

/** A script for fish. */
export function fishScript(program: Command): string {
  const name = program.name();
  const commands = commandsOf(program);
  const complete = (condition: string, rest: string) =>
    `complete -c ${name} -n ${quoted(condition)} ${rest}`;
  const first = '__fish_use_subcommand';
  const lines = [
    ...flagsOf(program).map((flag) => complete(first, flagOptions(flag))),
    ...commands.map((command) =>
      complete(first, `-a ${command.name()} -d ${quoted(command.description())}`),
    ),
    ...commands.flatMap((command) => {
      const condition = `__fish_seen_subcommand_from ${command.name()}`;
      return [
        ...flagsOf(command).map((flag) => complete(condition, flagOptions(flag))),
        ...argumentsOf(command, program).map((value) => complete(condition, `-a ${value}`)),
      ];
    }),
  ];
  return [`# Completion of ${name} for fish.`, `complete -c ${name} -f`, ...lines, ''].join('\n');
}

/** What is typed of a value. Without it, fish would put the flag before each directory a second time. */
const currentValue = '(commandline -ct | string replace -r -- "^--[^=]*=" "")';

function flagOptions(flag: Option): string {
  return [
    `-l ${longOf(flag).replace(/^--/, '')}`,
    ...(flag.short === undefined ? [] : [`-s ${flag.short.replace(/^-/, '')}`]),
    ...valueOptions(valueOf(flag)),
    `-d ${quoted(flag.description)}`,
  ].join(' ');
}

function valueOptions(value: FlagValue): string[] {
  switch (value) {
    case 'none':
      return [];
    case 'file':
      return ['-r -F'];
    case 'directory':
      return [`-x -a '(__fish_complete_directories ${currentValue})'`];
    case 'text':
      return ['-x'];
    default:
      return [`-x -a ${quoted(value.join(' '))}`];
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
