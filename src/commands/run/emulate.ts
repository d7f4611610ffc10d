import { startEmulator, type EventLog, type RunningEmulator } from '../../emulator/emulator.ts';
import type { ListenAddress } from '../../expose/web/listen-address.ts';
import { ListenError } from '../../expose/web/server.ts';
import { createLogger, silentLogger } from '../../logging/logger.ts';
import type { EmulateFlags } from '../emulate.ts';
import { runUntilSignal } from './run-until-signal.ts';

export function emulate(flags: EmulateFlags): Promise<number> {
  const logger = createLogger({ level: flags['log.level'], format: flags['log.format'] });
  const start = async () => {
    const emulator = await listen(flags['web.listenAddress'], flags.scenario, logger);
    const { url } = emulator;
    logger.info('emulating', { url, control: `${url}/_emulator/`, scenario: flags.scenario });
    return { stop: emulator.close };
  };
  return runUntilSignal(start, logger);
}

/**
 * Starts the emulator.
 *
 * @throws InvalidFileError for a bad scenario, ListenError when the address cannot be had
 */
export async function listen(
  address: ListenAddress,
  scenario: string,
  log: EventLog = silentLogger,
): Promise<RunningEmulator> {
  try {
    return await startEmulator({ scenario, host: address.host ?? '::', port: address.port, log });
  } catch (error) {
    const isSystemError = error instanceof Error && 'syscall' in error;
    throw isSystemError ? new ListenError(address, error) : error;
  }
}
