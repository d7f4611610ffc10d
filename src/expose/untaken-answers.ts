/** Bounds the memory of answers that slow clients have not taken yet. */
import type { ServerResponse } from 'node:http';
import type { Answer } from './answers.ts';

/**
 * Creates the function to call with each large answer that is being sent. It ends the connections of the oldest ones
 * while those besides the given one need more memory than the maximum. Without it, each slow client could keep another
 * answer of megabytes. Clients that got the same answer share its memory.
 */
export function boundUntaken(maxBytes: number) {
  /** The oldest first. */
  const bodies = new Map<ServerResponse, Answer['body']>();
  const untakenBytes = (newest: Answer['body']) => {
    const others = new Set([...bodies.values()].filter((body) => body !== newest));
    return [...others].reduce((sum, { length }) => sum + length, 0);
  };
  return (response: ServerResponse, body: Answer['body']): void => {
    // An answer behind an earlier one of its connection does not say when that ends.
    for (const old of bodies.keys()) if (old.req.socket.destroyed) bodies.delete(old);
    for (const [old, oldBody] of bodies) {
      if (untakenBytes(body) <= maxBytes) break;
      if (oldBody === body) continue;
      old.req.socket.destroy();
      bodies.delete(old);
    }
    bodies.set(response, body);
    response.once('close', () => bodies.delete(response));
  };
}
