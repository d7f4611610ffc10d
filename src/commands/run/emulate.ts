import type { ListenAddress } from '../../expose/listen-address.ts';
import { startEmulator, type EmulatorLog } from '../../emulator/emulator.ts';
import { ListenError } from '../../expose/server.ts';
import { createLogger, type Logger } from '../../log.ts';
import type { LogFlags } from './flags.ts';
import { runUntilSignal } from './run-until-signal.ts';

/** An address, or the path of a Unix socket. */
export type EmulateAddress = ListenAddress | { readonly socketPath: string };

export interface EmulateFlags extends LogFlags {
  readonly 'web.listenAddress': EmulateAddress;
  readonly scenario: string;
}

export function emulate(flags: EmulateFlags): Promise<number> {
  const logger = createLogger({ level: flags['log.level'], format: flags['log.format'] });
  const start = async () => {
    const { scenario } = flags;
    const { url, close } = await listenOn(flags['web.listenAddress'], (place) =>
      startEmulator({ ...place, scenario, log: emulatorLog(logger, flags) }),
    );
    logger.info('emulating', { url, control: `${url}/_emulator/`, scenario });
    return { stop: close };
  };
  return runUntilSignal(start, logger);
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

/**
 * Starts what listens on an address.
 *
 * @throws ListenError when the address is in use or not permitted
 */
async function listenOn<T>(
  address: EmulateAddress,
  start: (place: { host: string; port: number } | { socketPath: string }) => Promise<T>,
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
