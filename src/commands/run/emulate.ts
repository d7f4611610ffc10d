import type { ListenAddress } from '../../expose/web/listen-address.ts';
import { readFile } from 'node:fs/promises';
import { startEmulator, type RunningEmulator, type ServeOptions } from '../../emulator/emulator.ts';
import { ListenError } from '../../expose/web/server.ts';
import { createLogger } from '../../logging/create-logger.ts';
import type { LogFlags } from './flags.ts';
import { print } from './print.ts';
import { runUntilSignal } from './run-until-signal.ts';

/** An address, or the path of a Unix socket. */
export type EmulateAddress = ListenAddress | { readonly socketPath: string };

export interface EmulateFlags extends LogFlags {
  readonly 'web.listenAddress': EmulateAddress;
  readonly scenario: string;
  readonly tls?: boolean;
  readonly 'tls.certFile'?: string;
  readonly 'tls.keyFile'?: string;
}

export function emulate(flags: EmulateFlags): Promise<number> {
  const logger = createLogger({ level: flags['log.level'], format: flags['log.format'] });
  const start = async () => {
    const { scenario } = flags;
    const emulator = await listen(flags['web.listenAddress'], {
      scenario,
      log: logger,
      tls: await tlsOf(flags),
    });
    const { url, certificateAuthority } = emulator;
    if (certificateAuthority !== null) print(certificateAuthority);
    logger.info('emulating', { url, control: `${url}/_emulator/`, scenario });
    return { stop: emulator.close };
  };
  return runUntilSignal(start, logger);
}

async function tlsOf(flags: EmulateFlags): Promise<NonNullable<ServeOptions['tls']>> {
  const { tls = false, 'tls.certFile': certFile, 'tls.keyFile': keyFile } = flags;
  if (certFile === undefined || keyFile === undefined) return tls;
  return { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
}

/**
 * Starts the emulator.
 *
 * @throws InvalidFileError for an invalid scenario, ListenError when the address is in use or not permitted
 */
export async function listen(
  address: EmulateAddress,
  options: ServeOptions,
): Promise<RunningEmulator> {
  const place =
    'socketPath' in address ? address : { host: address.host ?? '::', port: address.port };
  try {
    return await startEmulator({ ...options, ...place });
  } catch (error) {
    const isSystemError = error instanceof Error && 'syscall' in error;
    if (!isSystemError || 'socketPath' in address) throw error;
    throw new ListenError(address, error);
  }
}
