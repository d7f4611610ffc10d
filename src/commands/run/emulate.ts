import type { ListenAddress } from '../../expose/web/listen-address.ts';
import { readFile } from 'node:fs/promises';
import { usualNames } from '../../api/credentials/read.ts';
import {
  startEmulator,
  startRecorder,
  startReplay,
  type EmulatorLog,
  type ListenOptions,
  type ListeningServer,
  type UpstreamCredentials,
} from '../../emulator/emulator.ts';
import { ListenError } from '../../expose/web/server.ts';
import { createLogger } from '../../logging/create-logger.ts';
import type { Logger } from '../../logging/logger.ts';
import type { LogFlags } from './flags.ts';
import { print } from './print.ts';
import { runUntilSignal } from './run-until-signal.ts';

/** An address, or the path of a Unix socket. */
export type EmulateAddress = ListenAddress | { readonly socketPath: string };

export interface EmulateFlags extends LogFlags {
  readonly 'web.listenAddress': EmulateAddress;
  readonly scenario: string;
  /** The directory of a new recording of `upstream`. */
  readonly record?: string;
  readonly upstream?: string;
  /** The directory of a recording. */
  readonly replay?: string;
  readonly tls?: boolean;
  readonly 'tls.certFile'?: string;
  readonly 'tls.keyFile'?: string;
}

export function emulate(flags: EmulateFlags): Promise<number> {
  const logger = createLogger({ level: flags['log.level'], format: flags['log.format'] });
  const start = async () => {
    const tls = await tlsOf(flags);
    const server = await listenOn(flags['web.listenAddress'], (place) =>
      startServer(flags, { ...place, tls, log: emulatorLog(logger, flags) }, logger),
    );
    if (server.certificateAuthority !== null) print(server.certificateAuthority);
    return { stop: server.close };
  };
  return runUntilSignal(start, logger);
}

async function startServer(
  { record, upstream, replay, scenario }: EmulateFlags,
  options: ListenOptions & { readonly log: EmulatorLog },
  logger: Logger,
): Promise<ListeningServer> {
  if (record !== undefined && upstream !== undefined) {
    const credentials = recordingCredentials(process.env);
    const server = await startRecorder({
      ...options,
      directory: record,
      upstream,
      ...(credentials !== null && { credentials }),
    });
    const signed = credentials !== null;
    logger.info('recording', { url: server.url, upstream, directory: record, signed });
    return server;
  }
  if (replay !== undefined) {
    const server = await startReplay({ ...options, directory: replay });
    logger.info('replaying', { url: server.url, directory: replay });
    return server;
  }
  const emulator = await startEmulator({ ...options, scenario });
  logger.info('emulating', { url: emulator.url, control: `${emulator.url}/_emulator/`, scenario });
  return emulator;
}

function emulatorLog(logger: Logger, flags: LogFlags): EmulatorLog {
  if (flags['log.level'] !== 'debug') return { warn: logger.warn };
  return {
    warn: logger.warn,
    debug: (message, fields) => {
      logger.debug(message, () => fields);
    },
  };
}

/** Reads the usual variables of the cloud's tools. Without them, requests to the service are not signed. */
function recordingCredentials(variables: NodeJS.ProcessEnv): UpstreamCredentials | null {
  const secretId = variables[usualNames.secretId];
  const secretKey = variables[usualNames.secretKey];
  if (!secretId || !secretKey) return null;
  const token = usualNames.tokens.map((name) => variables[name]).find(Boolean) ?? null;
  return { secretId, secretKey, token };
}

async function tlsOf(flags: EmulateFlags): Promise<NonNullable<ListenOptions['tls']>> {
  const { tls = false, 'tls.certFile': certFile, 'tls.keyFile': keyFile } = flags;
  if (certFile === undefined || keyFile === undefined) return tls;
  return { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
}

/**
 * Starts what listens on an address.
 *
 * @throws ListenError when the address is in use or not permitted
 */
async function listenOn<T>(
  address: EmulateAddress,
  start: (place: ListenOptions) => Promise<T>,
): Promise<T> {
  const place =
    'socketPath' in address ? address : { host: address.host ?? '::', port: address.port };
  try {
    return await start(place);
  } catch (error) {
    const isOfAddress =
      error instanceof Error &&
      'syscall' in error &&
      (error.syscall === 'listen' || error.syscall === 'getaddrinfo');
    if (!isOfAddress || 'socketPath' in address) throw error;
    throw new ListenError(address, error);
  }
}
