import { Argument, Command } from 'commander';
import { examples } from './options.ts';
import type { Shell } from './run/completion/completion.ts';

const shells = ['bash', 'zsh', 'fish'] as const satisfies readonly Shell[];

/** `completion`: prints a script for a shell that completes commands, flags and values. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('print a script that completes commands, flags and values in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
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
    .action(async (shell: Shell, _flags: unknown, command: Command) => {
      const { completion } = await import('./run/completion/completion.ts');
      completion(shell, command.parent ?? command);
    });
}
