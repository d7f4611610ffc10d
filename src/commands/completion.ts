/** The command `completion`: prints a script with which a shell completes commands, flags and values. */
import { Argument, type Command, type Option } from 'commander';
import { printResult, type CommandFile } from './command.ts';

/** The script of each shell, made from the definition of the command line. */
const scripts = new Map(Object.entries({ bash: bashScript, zsh: zshScript, fish: fishScript }));

export const examples: CommandFile['examples'] = [
  [
    'completion bash > /etc/bash_completion.d/cvm-quota-monitor',
    'bash, with the package bash-completion; for one shell: source <(… completion bash)',
  ],
  [
    'completion zsh > /usr/local/share/zsh/site-functions/_cvm-quota-monitor',
    'zsh, in a directory of $fpath',
  ],
  ['completion fish > ~/.config/fish/completions/cvm-quota-monitor.fish', 'fish'],
];

export function define(command: Command): void {
  command.addArgument(new Argument('<shell>', 'the shell').choices([...scripts.keys()]));
}

/** Prints a script for a shell that completes commands, flags and values. */
export function run(_flags: unknown, command: Command): undefined {
  const [shell = ''] = command.args;
  const program = command.parent ?? command;
  printResult(scripts.get(shell)?.(program.name(), completionsOf(program)) ?? '');
}

/** A word that a shell offers. */
interface Completion {
  /** The words before this one: none, the name of a command, or that and a flag. Empty for none. */
  readonly typed: string;
  /** A flag that needs a value ends with `=`. `<path>` stands for files, and the empty text for a value of any form. */
  readonly word: string;
  readonly description: string;
}

/** Every command, flag and value, from the definition of the command line. */
function completionsOf(program: Command): readonly Completion[] {
  const help = program.createHelp();
  const commands = help.visibleCommands(program);
  return [program, ...commands].flatMap((command): Completion[] => {
    const typed = command === program ? '' : command.name();
    // `help` takes the name of a command.
    const names = typed === '' || typed === 'help' ? commands : [];
    const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
    return [
      ...names.map((next) => ({ typed, word: next.name(), description: next.description() })),
      ...choices.map((word) => ({ typed, word, description: '' })),
      ...help.visibleOptions(command).flatMap((option) => flagCompletions(typed, option)),
    ];
  });
}

/** A flag, and its values. */
function flagCompletions(command: string, option: Option): Completion[] {
  const { argChoices, description, flags, required } = option;
  const [, long = '', valueName = ''] = /(--\S+)(?: <(.+)>)?$/.exec(flags) ?? [];
  if (!required) return [{ typed: command, word: long, description }];
  // The help names a value for which a shell offers files `<path>` or `<dir>`.
  const values = argChoices ?? [['path', 'dir'].includes(valueName) ? '<path>' : ''];
  return [
    { typed: command, word: `${long}=`, description },
    ...values.map((word) => ({ typed: `${command} ${long}`, word, description: '' })),
  ];
}

/**
 * The part that is the same in bash and zsh: reads what may follow `$command` into `names` and `flags`, and what may
 * follow its `$flag` into `values`.
 */
function readingLoop(completions: readonly Completion[]): string {
  return `while IFS='|' read -r point word description; do
    case $point in
      "$command $flag") values+=("$word") ;;
      "$command") if [[ $word == -* ]]; then flags+=("$word:$description"); else names+=("$word:$description"); fi ;;
    esac
  done <<'END'
${completions.map(({ description, typed, word }) => `${typed}|${word}|${description}\n`).join('')}END`;
}

/** A script for bash 3.2 or newer, without the package bash-completion. */
function bashScript(program: string, completions: readonly Completion[]): string {
  const functionName = `_${program.replaceAll('-', '_')}`;
  return `# Completion of ${program} for bash.
${functionName}() {
  local current=\${COMP_WORDS[COMP_CWORD]} flag=\${COMP_WORDS[COMP_CWORD - 1]}
  local command='' point word description
  local names=() flags=() values=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    if [[ $word != -* ]]; then command=$word; break; fi
  done
  # Bash makes three words of \`--flag=value\`.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $flag == '=' ]]; then
    flag=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  ${readingLoop(completions)}
  if [[ $current == -* || \${#names[@]} == 0 ]]; then names+=("\${flags[@]}"); fi
  if [[ \${#values[@]} != 0 ]]; then names=("\${values[@]}"); fi
  local candidates=(-W "\${names[*]%%:*}")
  if [[ \${values[0]} == '<path>' ]]; then
    candidates=(-f)
    compopt -o filenames 2>/dev/null
  fi
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(compgen "\${candidates[@]}" -- "$current")
  if [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F ${functionName} ${program}
`;
}

/** A script for zsh: a file of `$fpath`, or one that is sourced after `compinit`. */
function zshScript(program: string, completions: readonly Completion[]): string {
  return `#compdef ${program}
# Completion of ${program} for zsh.
_${program}() {
  local command=\${\${words[2,CURRENT-1]:#-*}[1]} flag=$words[CURRENT-1] point word description
  local -a names flags values
  if compset -P '--*='; then flag=\${IPREFIX%=}; fi
  ${readingLoop(completions)}
  local -a plain=(\${flags:#*=:*}) valued=(\${(M)flags:#*=:*})
  if [[ $values[1] == '<path>' ]]; then _files; return; fi
  if (( $#values )); then compadd -- \${values:#}; return; fi
  _describe command names
  if (( ! $#names )) || [[ $PREFIX == -* ]]; then _describe flag plain -- valued -S ''; fi
}
if [[ $funcstack[1] == _${program} ]]; then _${program} "$@"; else compdef _${program} ${program}; fi
`;
}

/** A script for fish. */
function fishScript(program: string, completions: readonly Completion[]): string {
  const lines = completions.map(({ description, typed, word }) => {
    if (typed.includes(' ')) return '';
    const condition =
      typed === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${typed}`;
    const flag = word.replace('=', '');
    const values = completions
      .filter((next) => next.typed === `${typed} ${flag}`)
      .map((next) => next.word);
    const words = values[0] === '<path>' ? '-r -F' : `-x -a ${quoted(values.join(' '))}`;
    const what = flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-a ${word}`;
    return `complete -c ${program} -n '${condition}' ${what} ${values.length === 0 ? '' : words} -d ${quoted(description)}\n`;
  });
  return `# Completion of ${program} for fish.\ncomplete -c ${program} -f\n${lines.join('')}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
