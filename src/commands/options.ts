/** Options that several commands share, the parsers of their texts, and the form of examples. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseShard } from '../expose/metrics/shard.ts';
import { parseExternalUrl, parsePrefix } from '../expose/external-url.ts';
import { parseListenAddress, type ListenAddress } from '../expose/listen-address.ts';
import { logFormats, logLevels, type LogLevel } from '../log.ts';

/** Sets the exit code of the program. */
export type ExitWith = (code: number) => void;

/**
 * Adds the required option `--config.file`. Commander would check required options before unknown options,
 * so a misspelt `--config.file` would not be reported as unknown.
 */
export function addConfigOption(command: Command): Command {
  return command
    .option('--config.file <path>', 'the configuration file; - is standard input (required)')
    .hook('preAction', () => {
      if (command.getOptionValue('config.file') === undefined) {
        command.error("error: required option '--config.file <path>' not specified");
      }
    });
}

export function listenOption(fallback: string): Option {
  return new Option(
    '--web.listen-address <host:port>',
    'where to listen; :PORT listens on all addresses',
  )
    .argParser(readListenAddress)
    .default(readListenAddress(fallback), fallback);
}

/** The option may be repeated. The server then listens on each of the addresses. */
export function listenOptions(fallback: string): Option {
  const given: ListenAddress[] = [];
  return new Option(
    '--web.listen-address <host:port>',
    'where to listen; :PORT listens on all addresses; may be repeated',
  )
    .argParser((text) => {
      given.push(readListenAddress(text));
      return given;
    })
    .default([readListenAddress(fallback)], fallback);
}

function readListenAddress(text: string): ListenAddress {
  if (/^(?:unix|vsock):|^\//.test(text)) {
    throw new InvalidArgumentError('Only TCP is served. Expected HOST:PORT or :PORT.');
  }
  return validArgument(parseListenAddress(text), 'HOST:PORT or :PORT');
}

/**
 * @param parsed `null` for a wrong argument
 * @throws InvalidArgumentError, which says what is expected
 */
export function validArgument<T>(parsed: T | null, expected: string): T {
  if (parsed === null) throw new InvalidArgumentError(`Expected ${expected}.`);
  return parsed;
}

/** As in Prometheus. */
export function externalUrlOption(): Option {
  return new Option(
    '--web.external-url <url>',
    'the URL under which browsers reach the daemon, for example behind a reverse proxy',
  ).argParser((text) => validArgument(parseExternalUrl(text), 'http:// or https://, host, path'));
}

/** As in Prometheus. */
export function routePrefixOption(): Option {
  return new Option(
    '--web.route-prefix <prefix>',
    'the beginning of all paths; the path of --web.external-url if absent',
  ).argParser((text) => validArgument(parsePrefix(text), 'a path such as /quota'));
}

/** One part of the accounts, as in `0/4`. */
export function shardOption(): Option {
  return new Option(
    '--web.shard <part>',
    'the part of the accounts whose series /metrics has, such as 0/4, 1/4, 2/4 or 3/4; only with a cluster',
  ).argParser((text) => validArgument(parseShard(text), '0/4 to 3/4 for four parts'));
}

export function logLevelOption(fallback: LogLevel = 'info'): Option {
  return new Option('--log.level <level>', 'the lowest severity that is logged')
    .choices(logLevels)
    .default(fallback);
}

export function logFormatOption(): Option {
  return new Option('--log.format <format>', 'the format of log lines')
    .choices(logFormats)
    .default('logfmt');
}

/** An option that may be repeated. Its value is the list of its texts. */
export function namesOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((name: string, before?: readonly string[]) => [
    ...(before ?? []),
    name,
  ]);
}

/** The end of a command's help: example commands and their effects. */
export function examples(...all: readonly (readonly [args: string, effect: string])[]): string {
  const lines = all.map(([args, effect]) => `  # ${effect}\n  cvm-quota-monitor ${args}`);
  return `\nExamples:\n${lines.join('\n')}`;
}
