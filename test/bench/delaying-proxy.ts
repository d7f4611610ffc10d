/** A network between client and service that holds back what passes through it, each way. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface DelayingProxy {
  readonly url: string;
  readonly close: () => void;
}

/** @param mostDelayMs every piece is held back by a random time up to this; none overtakes another */
export async function startDelayingProxy(
  target: string,
  mostDelayMs: number,
): Promise<DelayingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    pass(client, upstream, mostDelayMs);
    pass(upstream, client, mostDelayMs);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      // The end of either is the end of both; why is of no interest here.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function pass(from: Socket, to: Socket, mostDelayMs: number): void {
  let last: Promise<unknown> = Promise.resolve();
  from.on('data', (piece) => {
    const held = delay(Math.random() * mostDelayMs);
    last = Promise.all([last, held]).then(() => to.write(piece));
  });
}
