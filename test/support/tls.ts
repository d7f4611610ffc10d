/** TLS for a test: a certificate with its own authority, and an emulator behind it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, isIP, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import {
  startEmulator,
  type RunningEmulator,
  type ServeOptions,
} from '../../src/emulator/emulator.ts';

/** In PEM. */
export interface MadeCertificate {
  readonly cert: string;
  readonly key: string;
  /** The certificate of the authority. Clients that trust it also trust `cert`. */
  readonly authority: string;
}

/** Needs openssl. */
export function makeCertificate(hosts: readonly string[]): MadeCertificate {
  const directory = mkdtempSync(join(tmpdir(), 'certificate-'));
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', args, { cwd: directory, stdio: 'ignore' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const read = (name: string) => readFileSync(join(directory, name), 'utf8');
  try {
    openssl(
      ...['req', '-x509', ...newKey, '-days', '2', '-subj', '/CN=authority'],
      ...['-keyout', 'authority.key', '-out', 'authority.crt'],
    );
    const names = hosts.map((host) => `${isIP(host) > 0 ? 'IP' : 'DNS'}:${host}`);
    writeFileSync(
      join(directory, 'ext'),
      names.length ? `subjectAltName=${names.join(',')}\n` : '',
    );
    openssl(
      ...['req', ...newKey, '-subj', '/CN=server', '-keyout', 'server.key', '-out', 'server.csr'],
    );
    openssl(
      ...['x509', '-req', '-in', 'server.csr', '-days', '2', '-extfile', 'ext'],
      ...['-CA', 'authority.crt', '-CAkey', 'authority.key', '-CAcreateserial'],
      ...['-out', 'server.crt'],
    );
    return {
      cert: read('server.crt'),
      key: read('server.key'),
      authority: read('authority.crt'),
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** An emulator that only TLS reaches. */
export async function startTlsEmulator(
  { cert, key }: MadeCertificate,
  { host = '127.0.0.1', ...options }: ServeOptions = {},
): Promise<RunningEmulator> {
  const emulator = await startEmulator(options);
  const { close: closeEmulator } = emulator;
  const plainPort = Number(new URL(emulator.url).port);
  const sockets = new Set<Socket>();
  const server = createServer({ cert, key }, (socket) => {
    const inner = connect(plainPort, '127.0.0.1');
    for (const each of [socket, inner]) {
      sockets.add(each);
      each.on('error', () => undefined);
      each.on('close', () => {
        socket.destroy();
        inner.destroy();
      });
    }
    socket.pipe(inner).pipe(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await closeEmulator();
  };
  const url = `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  return Object.assign(emulator, { url, close, [Symbol.asyncDispose]: close });
}
