/** Flags that several commands share: their definitions, the types of their values, and parsers of their texts. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { logFormats, logLevels, type LogFormat, type LogLevel } from '../log.ts';
import { parseListenAddress, type ListenAddress } from '../expose/listen-address.ts';
import { suggestion } from '../validation/nearest.ts';
import { UsageError } from './command.ts';
import help from './help.json' with { type: 'json' };

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

/** Sets what holds for a flag besides its text, such as its default. */
type FlagRule = (flag: Option) => Option;

/**
 * Adds flags in the order of their texts.
 *
 * @param texts what the help says of each flag
 */
export function addFlags<Flag extends string>(
  command: Command,
  texts: Readonly<Record<Flag, string>>,
  rules: Readonly<Partial<Record<NoInfer<Flag>, FlagRule>>>,
): Command {
  for (const name in texts) {
    const flag = new Option(name, texts[name]);
    command.addOption(rules[name]?.(flag) ?? flag);
  }
  return command;
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

/** Adds the options of the log. They are the last of a command. */
export function addLogOptions(command: Command, fallback: LogLevel = 'info'): Command {
  return addFlags(command, help.logFlags, {
    '--log.level <level>': (flag) => flag.choices(logLevels).default(fallback),
    '--log.format <format>': (flag) => flag.choices(logFormats).default('logfmt'),
  });
}

/**
 * The `argParser` of a flag for Commander.
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

/** The value of a flag is its parsed text. The parameters are those of {@link argumentParser}. */
export function parsed(parse: (text: string) => unknown, expected: string): FlagRule {
  return (flag) => flag.argParser(argumentParser(parse, expected));
}

/** A flag may be repeated. Its value is the list of the parsed texts. */
export function repeatable(parse: (text: string) => unknown): FlagRule {
  const add = (text: string, before: readonly unknown[] = []) => [...before, parse(text)];
  return (flag) => flag.argParser(add);
}

export const repeatableText = repeatable((text) => text);

/** A flag is false where it is absent. */
export const falseIfAbsent: FlagRule = (flag) => flag.default(false);

/** Where a command listens, on one address. */
export function listenFlag(fallback: string): FlagRule {
  return (flag) => flag.argParser(readListenAddress).default(readListenAddress(fallback), fallback);
}

/** At most ten names, and `…` in place of the others. */
export function firstTen(names: readonly string[]): string {
  return names.slice(0, 10).join(', ') + (names.length > 10 ? ', …' : '');
}

/** Whether the values of a flag select a name. Without the flag, every one is selected. */
export function isSelected(names: readonly string[] | undefined, name: string): boolean {
  return names?.includes(name) ?? true;
}

/**
 * Refuses a name that selects no target: otherwise a check of no quota would pass.
 *
 * @param names the values of the flag
 * @param selecting the names that select a target
 * @param similar the names that may be meant
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
