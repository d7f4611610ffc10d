import type { Command } from 'commander';
import { collectors } from '../collectors/collectors.ts';
import { loadConfigInTime, type Config } from '../config/config.ts';
import { startDaemon } from '../daemon/daemon.ts';
import { parseShard, type Shard } from '../expose/metrics/shard.ts';
import type { WebProtection } from '../expose/web-config/protection.ts';
import { parseExternalUrl, parsePrefix, placeOf } from '../expose/external-url.ts';
import type { ListenAddress } from '../expose/listen-address.ts';
import { UsageError, type CommandFile } from './command.ts';
import {
  addConfigOption,
  addLogOptions,
  argument,
  listOf,
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
      listOf(readListenAddress),
    )
    .option('--web.config.file <path>', 'the file with TLS and users')
    .option('--web.enable-open-health', 'answer /-/healthy and /-/ready without a user', false)
    .option(
      '--web.external-url <url>',
      'the URL under which browsers reach the daemon, for example behind a reverse proxy',
      argument(parseExternalUrl, 'http:// or https://, host, path'),
    )
    .option(
      '--web.route-prefix <prefix>',
      'the beginning of all paths; the path of --web.external-url if absent',
      argument(parsePrefix, 'a path such as /quota'),
    )
    .option(
      '--web.shard <part>',
      'the part of the accounts whose series /metrics has, such as 0/4, 1/4, 2/4 or 3/4; only with a cluster',
      argument(parseShard, '0/4 to 3/4 for four parts'),
    )
    .option('--web.enable-lifecycle', 'let POST /-/reload reload the configuration', false)
    .option('--storage.path <dir>', 'where records are kept', './data');
  addLogOptions(command);
}

/** Runs the daemon, until a signal stops it. */
export function run(flags: ServeFlags): Promise<number> {
  return runUntilSignal(flags, async (context) => {
    const { fileCalls, signal } = context;
    const load = (file: string) => loadConfigInTime(file, collectors, fileCalls);
    return startDaemon({
      ...context,
      loadConfig: async () => {
        const config = await readConfig(flags['config.file'], { load, signal });
        checkShard(flags, config);
        return config;
      },
      web: {
        addresses: flags['web.listenAddress'] ?? [readListenAddress(':10042')],
        protection: await openProtection(flags, context),
        place: placeOf(flags['web.externalUrl'], flags['web.routePrefix']),
      },
      shard: flags['web.shard'],
      enableLifecycle: flags['web.enableLifecycle'],
      storagePath: flags['storage.path'],
    });
  });
}

/**
 * @throws UsageError when one daemon alone would show only a part of its accounts: no other daemon has the rest
 */
function checkShard(flags: ServeFlags, { cluster }: Config): void {
  if (flags['web.shard'] === undefined || cluster !== null) return;
  throw new UsageError(
    '--web.shard needs `cluster` in the configuration: without it, no other daemon shows the other accounts',
  );
}

/** TLS is loaded only if a file asks for it. */
async function openProtection(
  flags: ServeFlags,
  { clock, fileCalls: calls, logger }: RunContext,
): Promise<WebProtection | undefined> {
  const file = flags['web.config.file'];
  if (file === undefined) return undefined;
  const { openWebProtection } = await import('../expose/web-config/protection.ts');
  const isHealthOpen = flags['web.enableOpenHealth'];
  return openWebProtection({ file, isHealthOpen, clock, calls, logger });
}
