/** A network between two programs that a test can disturb. It ends with the test. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TcpProxy {
  readonly port: number;
  /** Ends every connection and refuses new ones. */
  readonly cut: () => void;
  /** Keeps back every byte in both directions. They arrive when it is healed. */
  readonly hold: () => void;
  readonly heal: () => void;
}

export async function startTcpProxy(upstreamPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'held' = 'open';
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  /** Passes on what one side sends. Its end takes the other side with it. */
  const pass = (from: Socket, to: Socket) => {
    from.on('data', (bytes) => {
      if (!to.write(bytes)) from.pause();
    });
    to.on('drain', () => {
      if (state !== 'held') from.resume();
    });
    from.on('close', () => to.destroy());
    if (state === 'held') from.pause();
  };
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = connect(upstreamPort, '127.0.0.1');
    keep(client);
    keep(upstream);
    pass(client, upstream);
    pass(upstream, client);
  });
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
    hold: () => {
      state = 'held';
      for (const socket of sockets) socket.pause();
    },
    heal: () => {
      state = 'open';
      for (const socket of sockets) socket.resume();
    },
  };
}
