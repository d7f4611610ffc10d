/** The flags of every command, after parsing. */
import type { ListenAddress } from '../../expose/listen-address.ts';
import type { LogFormat, LogLevel } from '../../log.ts';

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
