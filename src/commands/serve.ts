import { Command } from 'commander';
import {
  addConfigOption,
  examples,
  externalUrlOption,
  listenOptions,
  logFormatOption,
  logLevelOption,
  routePrefixOption,
  shardOption,
  type ExitWith,
} from './options.ts';
import type { ServeFlags } from './run/serve.ts';

/** `serve`: runs the daemon, until a signal stops it. */
export function serveCommand(exitWith: ExitWith): Command {
  return addConfigOption(new Command('serve'))
    .description('poll on a schedule, and serve /metrics and a status page')
    .addOption(listenOptions(':10042'))
    .option('--web.config.file <path>', 'the file with TLS and users')
    .option(
      '--web.enable-open-health',
      'answer /-/healthy and /-/ready also to clients that are no users',
      false,
    )
    .addOption(externalUrlOption())
    .addOption(routePrefixOption())
    .addOption(shardOption())
    .option('--web.enable-lifecycle', 'let POST /-/reload reload the configuration', false)
    .option('--storage.path <dir>', 'where records are kept', './data')
    .addOption(logLevelOption())
    .addOption(logFormatOption())
    .addHelpText(
      'after',
      examples(
        ['serve --config.file=config.yaml', 'listen on port 10042, keep records in ./data'],
        [
          'serve --config.file=config.yaml --web.listen-address=127.0.0.1:9100',
          'accept connections only from this machine',
        ],
      ),
    )
    .action(async (flags: ServeFlags) => {
      const { serve } = await import('./run/serve.ts');
      exitWith(await serve(flags));
    });
}
