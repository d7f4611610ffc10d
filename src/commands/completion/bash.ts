import type { Command, Option } from 'commander';
import { argumentsOf, commandsOf, flagsOf, longOf, valueOf } from './describe.ts';

/** A script for bash 3.2 or newer, without the package bash-completion. */
export function bashScript(program: Command): string {
  const name = program.name();
  const commands = commandsOf(program);
  const cases = [
    ...commands.flatMap((command) =>
      flagsOf(command).flatMap((flag) => valueCase(command.name(), flag) ?? []),
    ),
    ...commands.map((command) =>
      commandCase(command.name(), argumentsOf(command, program), flagsOf(command)),
    ),
    commandCase(
      '',
      commands.map((command) => command.name()),
      flagsOf(program),
    ),
  ];
  const functionName = `_${name.replaceAll('-', '_')}`;
  return `# Completion of ${name} for bash.
${functionName}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local command='' flag='' prefix='' words='' flags='' kind='' reply i
  for ((i = 1; i < COMP_CWORD; i += 1)); do
    if [[ \${COMP_WORDS[i]} != -* ]]; then
      command=\${COMP_WORDS[i]}
      break
    fi
  done
  # Bash usually makes three words of \`--flag=value\`.
  if [[ $current == '=' ]]; then
    flag=$previous current=''
  elif [[ $previous == '=' ]]; then
    flag=\${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $current == --*=* ]]; then
    flag=\${current%%=*} current=\${current#*=}
    prefix=$flag=
  elif [[ $previous == --* ]]; then
    flag=$previous
  fi
  case "$command $flag" in
${cases.join('\n')}
  esac
  if [[ $current == -* || $words == '' ]]; then words="$words $flags"; fi
  COMPREPLY=()
  if [[ $kind != '' ]]; then compopt -o filenames 2>/dev/null; fi
  while IFS= read -r reply; do
    COMPREPLY+=("$prefix$reply")
  done < <(
    case $kind in
      file) compgen -f -- "$current" ;;
      directory) compgen -d -- "$current" ;;
      *) compgen -W "$words" -- "$current" ;;
    esac
  )
  if [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F ${functionName} ${name}
`;
}

/** The values of a flag. `null` for a flag without a value: another flag may follow it. */
function valueCase(command: string, flag: Option): string | null {
  const pattern = `'${command} ${longOf(flag)}'`;
  const value = valueOf(flag);
  if (value === 'none') return null;
  if (value === 'text') return `    ${pattern}) ;;`;
  return typeof value === 'string' ? `    ${pattern}) kind=${value} ;;` : wordsCase(pattern, value);
}

function wordsCase(pattern: string, words: readonly string[]): string {
  return `    ${pattern}) words='${words.join(' ')}' ;;`;
}

/** What may follow a command, or a flag of it that has no value. Flags are offered after a dash. */
function commandCase(command: string, words: readonly string[], flags: readonly Option[]): string {
  return `    '${command} '*) words='${words.join(' ')}' flags='${flags.map(flagWord).join(' ')}' ;;`;
}

/** A flag that needs a value ends with `=`. */
function flagWord(flag: Option): string {
  return valueOf(flag) === 'none' ? longOf(flag) : `${longOf(flag)}=`;
}
