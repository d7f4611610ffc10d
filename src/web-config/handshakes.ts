/** Decrypts connections. The configuration may change between two of them. */
import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { isAccepted, requestOf } from './client-certificate.ts';
import type { TlsConfig } from './web-config.ts';

interface Handshake {
  readonly socket: Socket;
  readonly onSecure: (secure: TLSSocket) => void;
}

export class Handshakes {
  readonly #timeoutMs: number;
  /** By the addresses of both ends. */
  readonly #underWay = new Map<string, Handshake>();
  #server: Server;

  /** @param timeoutMs how long a handshake may take */
  constructor(tls: TlsConfig, timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#server = this.#createServer(tls);
  }

  /** Applies to handshakes that begin from now on. */
  configure(tls: TlsConfig): void {
    this.#server = this.#createServer(tls);
  }

  /** Begins a handshake. `onSecure` is called if the client completes it, and its certificate is accepted. */
  begin(socket: Socket, onSecure: (secure: TLSSocket) => void): void {
    const key = endsOf(socket);
    this.#underWay.set(key, { socket, onSecure });
    socket.once('close', () => {
      if (this.#underWay.get(key)?.socket === socket) this.#underWay.delete(key);
    });
    this.#server.emit('connection', socket);
  }

  /** Ends all handshakes. */
  close(): void {
    for (const { socket } of this.#underWay.values()) socket.destroy();
  }

  /** The server listens nowhere: `begin` gives it its connections. */
  #createServer(tls: TlsConfig): Server {
    const server = createServer({
      ...tls.context,
      ...requestOf(tls),
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: this.#timeoutMs,
    });
    server.on('secureConnection', (secure) => {
      const key = endsOf(secure);
      const handshake = this.#underWay.get(key);
      this.#underWay.delete(key);
      if (handshake === undefined || !isAccepted(tls, secure)) secure.destroy();
      else handshake.onSecure(secure);
    });
    server.on('tlsClientError', (_error, secure) => {
      secure.destroy();
    });
    return server;
  }
}

/** Unique among open connections. The decrypted stream of a connection has the same ends. */
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return [remoteAddress, remotePort, localAddress, localPort].join(' ');
}
