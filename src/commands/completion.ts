import { Argument, Command, type Option } from 'commander';
import { print } from './command.ts';
import { examples } from './options.ts';

/** The script of each shell, made from the definition of the command line. */
const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** `completion`: prints a script for a shell that completes commands, flags and values. */
export function completionCommand(): Command {
  return new Command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .addHelpText(
      'after',
      examples(
        [
          'completion bash > /etc/bash_completion.d/cvm-quota-monitor',
          'bash, with the package bash-completion; for one shell: source <(… completion bash)',
        ],
        [
          'completion zsh > /usr/local/share/zsh/site-functions/_cvm-quota-monitor',
          'zsh, in a directory of $fpath',
        ],
        ['completion fish > ~/.config/fish/completions/cvm-quota-monitor.fish', 'fish'],
      ),
    )
    .action((shell: keyof typeof scripts, _flags: unknown, command: Command) => {
      const program = command.parent ?? command;
      print(scripts[shell](program.name(), pointsOf(program)));
    });
}

/** What may follow the program, whose name is empty here, and each of its commands. */
type Point = ReturnType<typeof pointsOf>[number];

function pointsOf(program: Command) {
  const help = program.createHelp();
  const commands = help.visibleCommands(program);
  const names = commands.map((each) => ({ word: each.name(), description: each.description() }));
  return [program, ...commands].map((command) => {
    const name = command === program ? '' : command.name();
    const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
    return {
      name,
      words: ['', 'help'].includes(name)
        ? names
        : choices.map((word) => ({ word, description: '' })),
      flags: help.visibleOptions(command).map((option) => ({
        long: option.long ?? '',
        description: option.description,
        values: valuesOf(option),
      })),
    };
  });
}

/**
 * The values of a flag: none if the flag has no value, `<file>` or `<directory>` for a path, and the empty text for
 * one that cannot be suggested. The name of the value in the help says which.
 */
function valuesOf({ argChoices, flags }: Option): readonly string[] {
  if (argChoices !== undefined) return argChoices;
  const [, name] = /<(.+)>/.exec(flags) ?? [];
  if (name === undefined) return [];
  return [{ path: '<file>', dir: '<directory>' }[name] ?? ''];
}

/**
 * The part that is the same in bash and zsh: reads what may follow `$command` into `names` and `flags`, and what may
 * follow its `$flag` into `values`. A flag that needs a value ends with `=`.
 */
function readingLoop(points: readonly Point[]): string {
  const rows = points.flatMap(({ flags, name, words }) => [
    ...words.map(({ description, word }) => `${name}|${word}|${description}`),
    ...flags.flatMap(({ description, long, values }) => [
      `${name}|${long}${values.length === 0 ? '' : '='}|${description}`,
      ...values.map((value) => `${name} ${long}|${value}|`),
    ]),
  ]);
  return `while IFS='|' read -r point word description; do
    case $point in
      "$command $flag") values+=("$word") ;;
      "$command") if [[ $word == -* ]]; then flags+=("$word:$description"); else names+=("$word:$description"); fi ;;
    esac
  done <<'END'
${rows.join('\n')}
END`;
}

/** A script for bash 3.2 or newer, without the package bash-completion. */
function bashScript(program: string, points: readonly Point[]): string {
  const functionName = `_${program.replaceAll('-', '_')}`;
  return `# Completion of ${program} for bash.
${functionName}() {
  local current=\${COMP_WORDS[COMP_CWORD]} flag=\${COMP_WORDS[COMP_CWORD - 1]}
  local command='' prefix='' point word description
  local names=() flags=() values=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    if [[ $word != -* ]]; then command=$word; break; fi
  done
  # Bash usually makes three words of \`--flag=value\`.
  if [[ $current == --*=* ]]; then
    flag=\${current%%=*} current=\${current#*=}
    prefix=$flag=
  elif [[ $current == '=' ]]; then
    current=''
  elif [[ $flag == '=' ]]; then
    flag=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  ${readingLoop(points)}
  if [[ $current == -* || \${#names[@]} == 0 ]]; then names+=("\${flags[@]}"); fi
  if [[ \${#values[@]} != 0 ]]; then names=("\${values[@]}"); fi
  local candidates=(-W "\${names[*]%%:*}")
  case \${values[0]} in
    '<file>') candidates=(-f) ;;
    '<directory>') candidates=(-d) ;;
  esac
  if [[ \${values[0]} == '<'* ]]; then compopt -o filenames 2>/dev/null; fi
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$prefix$word")
  done < <(compgen "\${candidates[@]}" -- "$current")
  if [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F ${functionName} ${program}
`;
}

/** A script for zsh: a file of `$fpath`, or one that is sourced after `compinit`. */
function zshScript(program: string, points: readonly Point[]): string {
  return `#compdef ${program}
# Completion of ${program} for zsh.
_${program}() {
  local command=\${\${words[2,CURRENT-1]:#-*}[1]} flag=$words[CURRENT-1] point word description
  local -a names flags values
  if compset -P '--*='; then flag=\${IPREFIX%=}; fi
  ${readingLoop(points)}
  local -a plain=(\${flags:#*=:*}) valued=(\${(M)flags:#*=:*})
  case $values[1] in
    '<file>') _files ;;
    '<directory>') _files -/ ;;
    *)
      if (( $#values )); then compadd -- \${values:#}; return; fi
      _describe command names
      if (( ! $#names )) || [[ $PREFIX == -* ]]; then _describe flag plain -- valued -S ''; fi
      ;;
  esac
}
if [[ $funcstack[1] == _${program} ]]; then _${program} "$@"; else compdef _${program} ${program}; fi
`;
}

/** A script for fish. */
function fishScript(program: string, points: readonly Point[]): string {
  const lines = points.flatMap(({ flags, name, words }) => {
    const condition = name === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${name}`;
    const complete = (what: string, description: string) =>
      `complete -c ${program} -n '${condition}' ${what} -d ${quoted(description)}`;
    return [
      ...words.map(({ description, word }) => complete(`-a ${word}`, description)),
      ...flags.map(({ description, long, values }) =>
        complete(`-l ${long.slice(2)} ${fishValues(values)}`, description),
      ),
    ];
  });
  return `# Completion of ${program} for fish.\ncomplete -c ${program} -f\n${lines.join('\n')}\n`;
}

function fishValues(values: readonly string[]): string {
  const [first] = values;
  if (first === undefined) return '';
  if (first === '<file>') return '-r -F';
  // Without the part that is typed, fish would put the flag before each directory a second time.
  const typed = '(commandline -ct | string replace -r -- "^--[^=]*=" "")';
  const words =
    first === '<directory>' ? `(__fish_complete_directories ${typed})` : values.join(' ');
  return `-x -a ${quoted(words)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
