/** The command `completion`: prints a script with which a shell completes commands, flags and values. */
import { Argument, type Command, type Option } from 'commander';
import { printResult, type CommandFile } from './command.ts';
import bashFile from './completion.bash?raw';
import zshFile from './completion.zsh?raw';

/** Makes a script of a file: its `@completions@` becomes a line for each completion, with typed words, word and description. */
const scriptWith = (file: string) => (completions: readonly Completion[]) => {
  const lines = completions.map((one) => [one.typed, one.word, one.description].join('|'));
  return file.replace('@completions@', () => lines.join('\n'));
};

/** By shell, the function that makes its script from the completions. */
const scripts = new Map(
  Object.entries({ bash: scriptWith(bashFile), zsh: scriptWith(zshFile), fish: fishScript }),
);

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
  printResult(scripts.get(shell)?.(completionsOf(command.parent ?? command)) ?? '');
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
      ...names.map((named) => ({ typed, word: named.name(), description: named.description() })),
      ...choices.map((word) => ({ typed, word, description: '' })),
      ...help.visibleOptions(command).flatMap((option) => flagCompletions(typed, option)),
    ];
  });
}

/** The completions of a flag, and of its values behind it. `command` is empty for the program itself. */
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

/** A script for fish: a `complete` line for each command and flag, which also has the values of the flag. */
function fishScript(completions: readonly Completion[]): string {
  const program = 'cvm-quota-monitor';
  const lines = completions.map(({ description, typed, word }) => {
    // A value: the line of its flag has it.
    if (typed.includes(' ')) return '';
    const condition =
      typed === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${typed}`;
    const flag = word.replace('=', '');
    const values = completions
      .filter((other) => other.typed === `${typed} ${flag}`)
      .map((other) => other.word);
    const words = values[0] === '<path>' ? '-r -F' : `-x -a ${quoted(values.join(' '))}`;
    const what = flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-a ${word}`;
    return `complete -c ${program} -n '${condition}' ${what} ${values.length === 0 ? '' : words} -d ${quoted(description)}\n`;
  });
  return `# Completion of ${program} for fish.\ncomplete -c ${program} -f\n${lines.join('')}`;
}

/** A text in single quotes, as fish reads it. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
