import type { ListenAddress } from '../../expose/listen-address.ts';
import { startEmulator, type EmulatorLog } from '../../emulator/emulator.ts';
import { ListenError } from '../../expose/server.ts';
import { createLogger, type Logger } from '../../log.ts';
import type { LogFlags } from './flags.ts';
import { runUntilSignal } from './run-until-signal.ts';

export interface EmulateFlags extends LogFlags {
  readonly 'web.listenAddress': ListenAddress;
  readonly scenario: string;
}

export function emulate(flags: EmulateFlags): Promise<number> {
  const logger = createLogger({ level: flags['log.level'], format: flags['log.format'] });
  const start = async () => {
    const { scenario, 'web.listenAddress': address } = flags;
    const place = { host: address.host ?? '::', port: address.port };
    try {
      const log = emulatorLog(logger, flags);
      const { url, close } = await startEmulator({ ...place, scenario, log });
      logger.info('emulating', { url, control: `${url}/_emulator/`, scenario });
      return { stop: close };
    } catch (error) {
      const isOfAddress =
        error instanceof Error &&
        'syscall' in error &&
        (error.syscall === 'listen' || error.syscall === 'getaddrinfo');
      throw isOfAddress ? new ListenError(address, error) : error;
    }
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
