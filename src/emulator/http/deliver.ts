/** Sends a reply of the service to the client, for `server.ts`. It carries out the faults of the connection. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { EmulatorReply } from '../protocol/message.ts';
import { msOf } from '../../validation/duration.ts';
import type { Clock } from '../state/clock.ts';

const slowPieces = 20;
const fillerBytes = 64 * 1024;

/**
 * Waits for the latency of the reply, then sends it. The Date header has the time of `clock`. Rejects when the client
 * disconnects during the latency or a body that is sent in parts. With the fault `hang`, it resolves after the latency and
 * sends nothing.
 */
export async function deliver(
  reply: EmulatorReply,
  response: ServerResponse,
  clock: Clock,
): Promise<void> {
  const { status, contentType, fault, latencyMs } = reply;
  if (latencyMs > 0) await wait(latencyMs, undefined, { signal: disconnectSignal(response) });
  const body = Buffer.from(reply.body);
  const date = new Date(clock.now()).toUTCString();
  const headers: Record<string, string> = { 'content-type': contentType, date };
  // Names in lower case, so that a header of a fault replaces one of the two above.
  for (const [name, value] of Object.entries(reply.headers)) headers[name.toLowerCase()] = value;
  const sizedHeaders = { ...headers, 'content-length': body.length };
  switch (fault?.effect) {
    case 'connection-reset':
      response.socket?.resetAndDestroy();
      break;
    case 'hang':
      break;
    case 'truncated-body':
      response.writeHead(status, sizedHeaders);
      response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
      break;
    case 'slow-body':
      response.writeHead(status, sizedHeaders);
      await pipeline(slowly(body, msOf(fault.duration), disconnectSignal(response)), response);
      break;
    case 'gzip-bomb':
      response.writeHead(status, { ...headers, 'content-encoding': 'gzip' });
      await pipeline(Readable.from(hugeJson(fault.size_bytes)), createGzip(), response);
      break;
    case 'huge-body':
      response.writeHead(status, headers);
      await pipeline(Readable.from(hugeJson(fault.size_bytes)), response);
      break;
    default:
      response.writeHead(status, sizedHeaders).end(reply.body);
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

/** The body in 20 pieces, with a pause after each. */
async function* slowly(body: Buffer, durationMs: number, signal: AbortSignal) {
  const pieceBytes = Math.max(1, Math.ceil(body.length / slowPieces));
  for (let from = 0; from < body.length; from += pieceBytes) {
    yield body.subarray(from, from + pieceBytes);
    await wait(durationMs / slowPieces, undefined, { signal });
  }
}

/** The pieces of a well-formed answer of about this size. */
function* hugeJson(sizeBytes: number) {
  const filler = Buffer.alloc(fillerBytes, 'a');
  yield Buffer.from('{"Response":{"Padding":"');
  for (let left = sizeBytes; left > 0; left -= fillerBytes) {
    yield filler.subarray(0, Math.min(left, fillerBytes));
  }
  yield Buffer.from('"}}');
}
