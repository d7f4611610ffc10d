/**
 * Reads and writes `HOST:PORT`, explains why a server cannot listen there, and tells loopback addresses and networks of clients.
 * The flags of `serve` and `emulate`, `server.ts` and `web-config/passwords.ts` use it.
 */
import { codeOf, messageOf } from '../model/errors.ts';

/** Where a server listens. */
export interface ListenAddress {
  /** `undefined` for every address of the machine. */
  readonly host: string | undefined;
  /** 0 for a port that the system chooses. */
  readonly port: number;
}

/**
 * Reads `HOST:PORT`, `:PORT` or `[IPV6]:PORT`, the form of the Prometheus exporters.
 *
 * @returns `null` when the text is not such an address
 */
export function parseListenAddress(text: string): ListenAddress | null {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]*)):(\d{1,5})$/.exec(text);
  if (match === null) return null;
  const port = Number(match[3]);
  if (port > 65_535) return null;
  const host = match[1] ?? match[2];
  return { host: host === '' ? undefined : host, port };
}

/** The address in the form that users type. */
export function formatListenAddress({ host, port }: ListenAddress): string {
  if (host === undefined) return `:${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A server of the daemon or the emulator could not listen. The message has the address, the reason and a solution. */
export class ListenError extends Error {
  constructor(address: ListenAddress, cause: unknown) {
    const where = formatListenAddress(address);
    super(`cannot listen on ${where}: ${reasons[codeOf(cause) ?? ''] ?? messageOf(cause)}`, {
      cause,
    });
    this.name = 'ListenError';
  }
}

const choose = 'choose another with --web.listen-address=HOST:PORT';
const notOurs = `this machine does not have that address; ${choose}`;
/** Why a server cannot listen, and what to do, by the code of the error. */
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: `the port is taken; ${choose}`,
  EACCES: `not permitted; ${choose}, with a port above 1023`,
  EADDRNOTAVAIL: notOurs,
  ENOTFOUND: notOurs,
};

/** True for an address that only clients of this machine can reach. */
export function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\.|^::1$/i.test(address);
}

/** An IPv4 address, or the first 64 bits of an IPv6 address: one client has all addresses that begin with them. */
export function networkOf(address: string): string {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const zeros = '0:'.repeat(9 - address.split(':').length);
  return address.replace('::', `:${zeros}`).split(':', 4).join(':');
}
