/** A connection that sends any bytes, as a client that ignores all rules. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export class RawConnection {
  readonly socket: Socket;
  /** Resolves with everything that was received, when the server has closed the connection. */
  readonly ended: Promise<string>;
  #received = '';

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text;
    });
    // A connection may also end by a reset.
    socket.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      socket.once('close', () => {
        resolve(this.#received);
      });
    });
  }

  /**
   * @param url of the server
   * @param localAddress of the client, such as `127.0.0.2`
   */
  static async open(url: string, localAddress?: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const from = localAddress === undefined ? {} : { localAddress };
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, ...from });
    const connection = new RawConnection(socket);
    await once(socket, 'connect');
    return connection;
  }

  send(bytes: string): void {
    this.socket.write(bytes, 'latin1');
  }

  /** Resolves with everything that was received, when it matches or the connection has ended. */
  async received(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.#received) && !this.socket.closed) {
      const more = new Promise((resolve) => this.socket.once('data', resolve));
      await Promise.race([more, this.ended]);
    }
    return this.#received;
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Sends bytes, and returns all received bytes when the server closes the connection. */
export async function sendRaw(url: string, bytes: string): Promise<string> {
  const connection = await RawConnection.open(url);
  connection.send(bytes);
  return connection.ended;
}

/** The status of each answer in the received text. */
export function statusesOf(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
