/** Options that several commands share, their values, and the parsers of their texts. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { logFormats, logLevels, type LogFormat, type LogLevel } from '../log.ts';
import { parseListenAddress, type ListenAddress } from '../expose/listen-address.ts';

export interface ConfigFlags {
  readonly 'config.file': string;
}

export interface ListenFlags {
  readonly 'web.listenAddress': ListenAddress;
}

export interface LogFlags {
  readonly 'log.level': LogLevel;
  readonly 'log.format': LogFormat;
}

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

/** Adds the options of the log. They are the last of a command. */
export function addLogOptions(command: Command, fallback: LogLevel = 'info'): Command {
  return command
    .addOption(
      new Option('--log.level <level>', 'the lowest severity that is logged')
        .choices(logLevels)
        .default(fallback),
    )
    .addOption(
      new Option('--log.format <format>', 'the format of log lines')
        .choices(logFormats)
        .default('logfmt'),
    );
}

/**
 * The parser of an option.
 *
 * @param parse returns `null` for a wrong argument
 * @throws InvalidArgumentError, which says what is expected
 */
export function argument<T>(parse: (text: string) => T | null, expected: string) {
  return (text: string): T => {
    const parsed = parse(text);
    if (parsed === null) throw new InvalidArgumentError(`Expected ${expected}.`);
    return parsed;
  };
}

export const readListenAddress = argument(parseListenAddress, 'HOST:PORT or :PORT (TCP)');

/** The parser of an option that may be repeated. Its value is the list of what the other parser makes of its texts. */
export function listOf<T>(parse: (text: string) => T) {
  return (text: string, before: readonly T[] = []): readonly T[] => [...before, parse(text)];
}

export const repeated = listOf((text) => text);
