import type { Command, Option } from 'commander';
import { argumentsOf, commandsOf, flagsOf, longOf, valueOf, type FlagValue } from './describe.ts';

/** A script for zsh: a file of `$fpath`, or one that is sourced after `compinit`. */
export function zshScript(program: Command): string {
  const name = program.name();
  const commands = commandsOf(program);
  const described = commands.map(
    (command) => `        ${quoted(`${escaped(command.name())}:${command.description()}`)}`,
  );
  return `#compdef ${name}
# Completion of ${name} for zsh.
_${name}() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C \\
${flagsOf(program)
  .map((flag) => `    ${flagSpec(flag)} \\`)
  .join('\n')}
    '1: :->command' \\
    '*:: :->arguments'
  case $state in
    command)
      local -a commands
      commands=(
${described.join('\n')}
      )
      _describe command commands
      ;;
    arguments)
      case $words[1] in
${commands.map((command) => commandCase(command, program)).join('\n')}
      esac
      ;;
  esac
}
if [[ $funcstack[1] == _${name} ]]; then
  _${name} "$@"
else
  compdef _${name} ${name}
fi
`;
}

function commandCase(command: Command, program: Command): string {
  const specs = flagsOf(command).map(flagSpec);
  const words = argumentsOf(command, program);
  if (words.length > 0) specs.push(quoted(`1:argument:(${words.join(' ')})`));
  const lines = specs.map((spec) => ` \\\n            ${spec}`);
  return `        ${command.name()})\n          _arguments${lines.join('')}\n          ;;`;
}

/** zsh also offers a flag that is already given: some flags may be repeated. */
function flagSpec(option: Option): string {
  const text = `[${escaped(option.description)}]`;
  const value = valueOf(option);
  const argument = value === 'none' ? '' : `=${text}:value:${actionOf(value)}`;
  const spec = (flag: string) => quoted(`*${flag}${argument === '' ? text : argument}`);
  return [longOf(option), ...(option.short === undefined ? [] : [option.short])]
    .map(spec)
    .join(' ');
}

function actionOf(value: Exclude<FlagValue, 'none'>): string {
  switch (value) {
    case 'file':
      return '_files';
    case 'directory':
      return '_files -/';
    case 'text':
      return ' ';
    default:
      return `(${value.join(' ')})`;
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\[\]:]/g, String.raw`\$&`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
