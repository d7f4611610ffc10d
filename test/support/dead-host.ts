/** A host that never answers. Its connection queue is full, so Linux drops every further SYN. */
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** Node.js accepts connections in the thread that listens. This thread is blocked after that. */
const listener = `
  const { parentPort, workerData } = require('node:worker_threads');
  const server = require('node:net').createServer().listen({ ...workerData, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

export interface DeadHost {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Listens and fills the queue. Port 0 selects a free port. */
export async function startDeadHost(host: string, wantedPort: number): Promise<DeadHost> {
  const worker = new Worker(listener, { eval: true, workerData: { host, port: wantedPort } });
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  const sockets: Socket[] = [];
  for (let isFull = false; !isFull;) {
    const socket = connect({ host, port });
    socket.on('error', () => undefined);
    sockets.push(socket);
    const connected = new Promise<boolean>((resolve) => {
      socket.once('connect', () => {
        resolve(true);
      });
    });
    isFull = !(await Promise.race([connected, delay(500, false)]));
  }
  return {
    port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await worker.terminate();
    },
  };
}
