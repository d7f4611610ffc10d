import { Argument, Command } from 'commander';
import { print } from './command.ts';
import { bashScript } from './completion/bash.ts';
import { fishScript } from './completion/fish.ts';
import { zshScript } from './completion/zsh.ts';
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
      print(scripts[shell](command.parent ?? command));
    });
}
