/** A network between two programs that a test can disturb. It ends with the test. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';

export interface TcpProxy {
  readonly port: number;
  /** Ends every connection and refuses new ones. */
  readonly cut: () => void;
  /** Keeps back every byte in both directions. They arrive when it is healed. */
  readonly hold: () => void;
  /** Holds from the moment when a client sends this text. Resolves then: the server does not have the text. */
  readonly holdFrom: (text: string) => Promise<void>;
  readonly heal: () => void;
  /** The present connections stay open, and pass nothing on any more. New ones work. */
  readonly abandon: () => void;
}

/** @param tls the certificate with which it serves TLS; the way to the other program stays without */
export async function startTcpProxy(
  upstreamPort: number,
  tls?: { readonly cert: Buffer; readonly key: Buffer },
): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'held' = 'open';
  let trap: { readonly text: string; readonly onHeld: () => void } | null = null;
  /** Passes on the bytes that were read before the network was held. */
  let passKept = (): void => undefined;
  const hold = () => {
    state = 'held';
    for (const socket of sockets) socket.pause();
  };
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  /** Passes on what one side sends. Its end takes the other side with it. */
  const pass = (from: Socket, to: Socket) => {
    from.on('data', (bytes: Buffer) => {
      if (trap !== null && bytes.includes(trap.text)) {
        hold();
        passKept = () => to.write(bytes);
        trap.onHeld();
        trap = null;
        return;
      }
      if (!to.write(bytes)) from.pause();
    });
    to.on('drain', () => {
      if (state !== 'held') from.resume();
    });
    from.on('close', () => to.destroy());
    if (state === 'held') from.pause();
  };
  const serve = (client: Socket) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = connect(upstreamPort, '127.0.0.1');
    keep(client);
    keep(upstream);
    pass(client, upstream);
    pass(upstream, client);
  };
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    state = 'cut';
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    server.close();
    cut();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    hold,
    abandon: () => {
      for (const socket of sockets) socket.removeAllListeners('data').resume();
    },
    holdFrom: (text) =>
      new Promise((onHeld) => {
        trap = { text, onHeld };
      }),
    heal: () => {
      state = 'open';
      passKept();
      passKept = () => undefined;
      for (const socket of sockets) socket.resume();
    },
  };
}
