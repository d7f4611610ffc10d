/** The command `serve`: runs the daemon with a configuration file. */
import type { Command } from 'commander';
import { collectors } from '../collectors/collectors.ts';
import { loadConfigWithDeadline } from '../config/config.ts';
import { startDaemon } from '../daemon/daemon.ts';
import { parseShard, type Shard } from '../expose/metrics/record-samples.ts';
import { parseExternalUrl, parsePrefix, publicUrlOf } from '../expose/external-url.ts';
import type { ListenAddress } from '../expose/listen-address.ts';
import { UsageError, type CommandFile } from './command.ts';
import {
  addConfigOption,
  addLogOptions,
  argumentParser,
  repeatable,
  readListenAddress,
  type ConfigFlags,
  type LogFlags,
} from './options.ts';
import { readConfig } from './read-config.ts';
import { runUntilSignal, type RunContext } from './run-until-signal.ts';

interface ServeFlags extends ConfigFlags, LogFlags {
  readonly 'storage.path': string;
  readonly 'web.listenAddress'?: readonly ListenAddress[];
  readonly 'web.config.file'?: string;
  readonly 'web.enableOpenHealth': boolean;
  readonly 'web.externalUrl'?: URL;
  readonly 'web.routePrefix'?: string;
  readonly 'web.shard'?: Shard;
  readonly 'web.enableLifecycle': boolean;
}

export const examples: CommandFile['examples'] = [
  ['serve --config.file=config.yaml', 'listen on port 10042, keep records in ./data'],
  [
    'serve --config.file=config.yaml --web.listen-address=127.0.0.1:9100',
    'accept connections only from this machine',
  ],
];

export function define(command: Command): void {
  addConfigOption(command)
    .option(
      '--web.listen-address <host:port>',
      'where to listen; :PORT listens on all addresses; may be repeated (default: :10042)',
      repeatable(readListenAddress),
    )
    .option('--web.config.file <path>', 'the file with TLS and users')
    .option('--web.enable-open-health', 'answer /-/healthy and /-/ready without a user', false)
    .option(
      '--web.external-url <url>',
      'the URL under which browsers reach the daemon, for example behind a reverse proxy',
      argumentParser(parseExternalUrl, 'http:// or https://, host, path'),
    )
    .option(
      '--web.route-prefix <prefix>',
      'the beginning of all paths; the path of --web.external-url if absent',
      argumentParser(parsePrefix, 'a path such as /quota'),
    )
    .option(
      '--web.shard <part>',
      'the part of the accounts whose series /metrics has, such as 0/4, 1/4, 2/4 or 3/4; only with a cluster',
      argumentParser(parseShard, '0/4 to 3/4 for four parts'),
    )
    .option('--web.enable-lifecycle', 'let POST /-/reload reload the configuration', false)
    .option('--storage.path <dir>', 'where records are kept', './data');
  addLogOptions(command);
}

/** Runs until a signal stops the daemon. The start and each reload read the configuration, within a bounded time. */
export function run(flags: ServeFlags): Promise<number> {
  return runUntilSignal(flags, async (context) => {
    const { fileCalls, signal } = context;
    const load = (file: string) => loadConfigWithDeadline(file, collectors, fileCalls);
    return startDaemon({
      ...context,
      loadConfig: async () => {
        const config = await readConfig(flags['config.file'], { load, signal });
        if (flags['web.shard'] === undefined || config.cluster !== null) return config;
        // One daemon alone would show only a part of its accounts: no other one has the rest.
        throw new UsageError(
          '--web.shard needs `cluster` in the configuration: without it, no other daemon shows the other accounts',
        );
      },
      web: {
        addresses: flags['web.listenAddress'] ?? [readListenAddress(':10042')],
        protection: await openProtection(flags, context),
        publicUrl: publicUrlOf(flags['web.externalUrl'], flags['web.routePrefix']),
      },
      shard: flags['web.shard'],
      enableLifecycle: flags['web.enableLifecycle'],
      storagePath: flags['storage.path'],
    });
  });
}

/** The protection by the file of `--web.config.file`. The code of TLS and users is loaded only with this flag. */
async function openProtection(flags: ServeFlags, { clock, fileCalls, logger }: RunContext) {
  const file = flags['web.config.file'];
  if (file === undefined) return undefined;
  const { openWebProtection } = await import('../expose/web-config/protection.ts');
  const isHealthOpen = flags['web.enableOpenHealth'];
  return openWebProtection({ file, isHealthOpen, clock, fileCalls, logger });
}
