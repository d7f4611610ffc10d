/**
 * Sends a reply of the service to the client, for `server.ts`. A fault of the connection, such as `hang`, takes effect
 * here; the service has applied the faults that change the reply itself.
 */
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { EmulatorReply } from '../protocol/message.ts';
import { msOf } from '../../validation/duration.ts';
import type { Clock } from '../state/clock.ts';

/** How many pieces the fault `slow-body` sends a body in. */
const pieceCount = 20;

/**
 * Waits for the latency of the reply, then sends it. The Date header has the time of `clock`. Rejects when the client
 * disconnects during the latency or a body that is sent in parts. With the fault `hang`, it resolves after the latency and
 * sends nothing.
 */
export async function deliver(reply: EmulatorReply, response: ServerResponse, clock: Clock) {
  const { status, contentType, fault, latencyMs } = reply;
  if (latencyMs > 0) await wait(latencyMs, undefined, { signal: disconnectSignal(response) });
  const body = Buffer.from(reply.body);
  const date = new Date(clock.now()).toUTCString();
  const headers = { 'content-type': contentType, 'content-length': body.length, date };
  response.writeHead(status, headers);
  switch (fault?.effect) {
    case 'connection-reset':
      response.socket?.resetAndDestroy();
      break;
    case 'hang':
      break;
    case 'truncated-body':
      response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
      break;
    case 'slow-body':
      await pipeline(slowly(body, msOf(fault.duration), disconnectSignal(response)), response);
      break;
    // Without a fault, or with one that changed the reply itself.
    default:
      response.end(body);
  }
}

/** A signal that aborts when the connection ends. */
function disconnectSignal(response: ServerResponse): AbortSignal {
  const disconnected = new AbortController();
  response.once('close', () => {
    disconnected.abort();
  });
  return disconnected.signal;
}

/** Yields the body in pieces, with a pause after each. */
async function* slowly(body: Buffer, durationMs: number, signal: AbortSignal) {
  const pieceBytes = Math.max(1, Math.ceil(body.length / pieceCount));
  for (let from = 0; from < body.length; from += pieceBytes) {
    yield body.subarray(from, from + pieceBytes);
    await wait(durationMs / pieceCount, undefined, { signal });
  }
}
