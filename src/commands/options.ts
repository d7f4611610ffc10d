/** Flags that several commands share: their definitions, the types of their values, and parsers of their texts. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { logFormats, logLevels, type LogFormat, type LogLevel } from '../log.ts';
import { parseListenAddress, type ListenAddress } from '../expose/listen-address.ts';
import { suggestion } from '../validation/nearest.ts';
import { UsageError } from './command.ts';

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

/** The option `--web.listen-address` of a command that listens on one address. */
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
 * The `argParser` of an option for Commander.
 *
 * @param parse returns `null` for a wrong text
 * @returns a function that throws InvalidArgumentError with what is expected
 */
export function argumentParser<T>(parse: (text: string) => T | null, expected: string) {
  return (text: string): T => {
    const parsed = parse(text);
    if (parsed === null) throw new InvalidArgumentError(`Expected ${expected}.`);
    return parsed;
  };
}

export const readListenAddress = argumentParser(parseListenAddress, 'HOST:PORT or :PORT (TCP)');

/** The `argParser` of an option that may be repeated. The value of the option is the list of the parsed texts, in their order. */
export function repeatable<T>(parse: (text: string) => T) {
  return (text: string, before: readonly T[] = []): readonly T[] => [...before, parse(text)];
}

export const repeatableText = repeatable((text) => text);

/** Names for a message, with commas: at most ten, and `…` in place of the others. */
export function firstTen(names: readonly string[]): string {
  return names.slice(0, 10).join(', ') + (names.length > 10 ? ', …' : '');
}

/** Whether the values of a flag select a name. Without the flag (`undefined`), every name is selected. */
export function isSelected(names: readonly string[] | undefined, name: string): boolean {
  return names?.includes(name) ?? true;
}

/**
 * Refuses a name that selects no target: otherwise a check of no quota would pass.
 *
 * @param names the values of the flag. Without the flag, nothing is refused
 * @param selecting the names that select a target
 * @param similar the names that may be meant. Default: those that select a target
 * @throws UsageError which suggests a similar name, or else lists names that select one
 */
export function refuseUnknownNames(
  flag: string,
  names: readonly string[] = [],
  selecting: readonly string[],
  similar = selecting,
): void {
  const unknown = names.find((name) => !selecting.includes(name));
  if (unknown === undefined) return;
  const others = firstTen([...new Set(selecting)]);
  const hint = suggestion(unknown, similar) || (others && `; others are ${others}`);
  throw new UsageError(`${flag}=${unknown} selects no target${hint}`);
}
