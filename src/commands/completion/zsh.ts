import type { DescribedCommand, DescribedFlag, DescribedProgram } from './describe.ts';

/** A script for zsh: a file of `$fpath`, or one that is sourced after `compinit`. */
export function zshScript({ name, flags, commands }: DescribedProgram): string {
  const described = commands.map(
    (command) => `        ${quoted(`${escaped(command.name)}:${command.description}`)}`,
  );
  return `#compdef ${name}
# Completion of ${name} for zsh.
_${name}() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C \\
${flags.map((flag) => `    ${flagSpec(flag)} \\`).join('\n')}
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
${commands.map(commandCase).join('\n')}
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

function commandCase({ name, flags, argument }: DescribedCommand): string {
  const specs = flags.map(flagSpec);
  if (argument.length > 0) specs.push(quoted(`1:argument:(${argument.join(' ')})`));
  const lines = specs.map((spec) => ` \\\n            ${spec}`);
  return `        ${name})\n          _arguments${lines.join('')}\n          ;;`;
}

/** zsh also offers a flag that is already given: some flags may be repeated. */
function flagSpec({ long, short, description, value }: DescribedFlag): string {
  const text = `[${escaped(description)}]`;
  const argument = value === 'none' ? '' : `=${text}:value:${actionOf(value)}`;
  const spec = (flag: string) => quoted(`*${flag}${argument === '' ? text : argument}`);
  return [long, ...(short === null ? [] : [short])].map(spec).join(' ');
}

function actionOf(value: Exclude<DescribedFlag['value'], 'none'>): string {
  switch (value) {
    case 'file':
      return '_files';
    case 'directory':
      return '_files -/';
    case 'text':
      return ' ';
    default:
      return `(${value.choices.join(' ')})`;
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\[\]:]/g, String.raw`\$&`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
