/** Options that several commands share, and how their texts are read. */
import { InvalidArgumentError, Option } from 'commander';
import { parseListenAddress, type ListenAddress } from '../expose/web/listen-address.ts';
import { logFormats, logLevels, type LogFormat, type LogLevel } from '../logging/logger.ts';

/** Tells the program which code to exit with. */
export type ExitWith = (code: number) => void;

export interface ConfigFlags {
  readonly 'config.file': string;
}

export function configOption(): Option {
  return new Option('--config.file <path>', 'the configuration file').makeOptionMandatory();
}

export interface ListenFlags {
  readonly 'web.listenAddress': ListenAddress;
}

export function listenOption(fallback: string): Option {
  return new Option('--web.listen-address <host:port>', 'where to listen; :PORT for every address')
    .argParser(readListenAddress)
    .default(readListenAddress(fallback), fallback);
}

function readListenAddress(text: string): ListenAddress {
  const address = parseListenAddress(text);
  if (address === null) throw new InvalidArgumentError('Expected HOST:PORT or :PORT.');
  return address;
}

export interface LogFlags {
  readonly 'log.level': LogLevel;
  readonly 'log.format': LogFormat;
}

export function logLevelOption(): Option {
  return new Option('--log.level <level>', 'the least severe lines to log')
    .choices(logLevels)
    .default('info');
}

export function logFormatOption(): Option {
  return new Option('--log.format <format>', 'the form of log lines')
    .choices(logFormats)
    .default('logfmt');
}
