import type { DescribedFlag, DescribedProgram } from './describe.ts';

/** A script for fish. */
export function fishScript({ name, flags, commands }: DescribedProgram): string {
  const complete = (condition: string, rest: string) =>
    `complete -c ${name} -n ${quoted(condition)} ${rest}`;
  const first = '__fish_use_subcommand';
  const lines = [
    ...flags.map((flag) => complete(first, flagOptions(flag))),
    ...commands.map((command) =>
      complete(first, `-a ${command.name} -d ${quoted(command.description)}`),
    ),
    ...commands.flatMap((command) => {
      const condition = `__fish_seen_subcommand_from ${command.name}`;
      return [
        ...command.flags.map((flag) => complete(condition, flagOptions(flag))),
        ...command.argument.map((value) => complete(condition, `-a ${value}`)),
      ];
    }),
  ];
  return [`# Completion of ${name} for fish.`, `complete -c ${name} -f`, ...lines, ''].join('\n');
}

/** What is typed of a value. Without it, fish would put the flag before each directory a second time. */
const currentValue = '(commandline -ct | string replace -r -- "^--[^=]*=" "")';

function flagOptions({ long, short, description, value }: DescribedFlag): string {
  return [
    `-l ${long.replace(/^--/, '')}`,
    ...(short === null ? [] : [`-s ${short.replace(/^-/, '')}`]),
    ...valueOptions(value),
    `-d ${quoted(description)}`,
  ].join(' ');
}

function valueOptions(value: DescribedFlag['value']): string[] {
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
      return [`-x -a ${quoted(value.choices.join(' '))}`];
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
