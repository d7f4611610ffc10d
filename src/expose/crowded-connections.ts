/**
 * Decides which connections `server.ts` ends when clients hold too much of a listener: connections, or answers that they do
 * not take. `connections` and `candidates` are in the order of their last requests, the longest ago first.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Answer } from './answers.ts';

/** A connection of a client. */
export interface Connection {
  /** The network of the client, by `networkOf`. */
  readonly network: string;
  /** The socket of TCP. With TLS, `request.socket` is another one. */
  readonly socket: Socket;
  /** The answers that are not sent yet, in order, with their bodies. `null` for one that is not made yet. */
  readonly unsent: Map<ServerResponse, Answer['body'] | null>;
}

/** What a connection does. The lower, the less its end costs: no request, a request without an answer, an answer in part. */
export const stages = { idle: 0, waits: 1, isAnswered: 2 } as const;

export function stageOf({ unsent }: Connection): number {
  const [oldest] = unsent.keys();
  if (oldest === undefined) return stages.idle;
  return oldest.req.socket.writableLength > 0 ? stages.isAnswered : stages.waits;
}

/** The connections that are still open: a destroyed one stays in the map until its event `close`. */
export function openOf(connections: ReadonlyMap<string, Connection>): readonly Connection[] {
  return [...connections.values()].filter(({ socket }) => !socket.destroyed);
}

/**
 * Ends one of the candidates: one of the network with the most open connections, and there one of the lowest stage. Of equal
 * ones the first.
 */
export function endOneOf(candidates: readonly Connection[], open: readonly Connection[]): void {
  const counts = new Map<string, number>();
  for (const { network } of open) counts.set(network, (counts.get(network) ?? 0) + 1);
  const countOf = ({ network }: Connection) => counts.get(network) ?? 0;
  const [ended] = candidates.toSorted((a, b) => countOf(b) - countOf(a) || stageOf(a) - stageOf(b));
  ended?.socket.destroy();
}

/**
 * Ends connections while their answers, besides the newest, need more memory than the maximum. Without it, each slow
 * client could keep another answer of megabytes. Clients that got the same answer share its memory.
 */
export function boundUntaken(
  connections: ReadonlyMap<string, Connection>,
  newest: Answer['body'],
  maxBytes: number,
): void {
  const bodiesOf = ({ unsent }: Connection) =>
    [...unsent.values()].flatMap((body) => (body === null || body === newest ? [] : [body]));
  for (;;) {
    const open = openOf(connections);
    const bodies = new Set(open.flatMap(bodiesOf));
    const bytes = [...bodies].reduce((sum, { length }) => sum + length, 0);
    if (bytes <= maxBytes) return;
    const holders = open.filter((connection) => bodiesOf(connection).length > 0);
    endOneOf(holders, open);
  }
}
