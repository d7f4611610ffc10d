import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { MiddlewareHandler } from 'hono';
import { encodingFor } from '../metrics/negotiate.ts';

const compressed = promisify(gzip);
const types = /^(?:text\/html|text\/csv|application\/json)\b/;

/** Smaller answers fit into one packet. */
const minBytes = 1_024;

/** Compresses pages and JSON for clients that accept it, off the event loop. */
export const compression: MiddlewareHandler = async (c, next) => {
  await next();
  if (c.res.headers.has('Content-Encoding')) return;
  if (!types.test(c.res.headers.get('Content-Type') ?? '')) return;
  c.res.headers.append('Vary', 'Accept-Encoding');
  if (encodingFor(c.req.header('Accept-Encoding')) === 'identity') return;
  const body = await c.res.clone().arrayBuffer();
  if (body.byteLength < minBytes) return;
  c.res = new Response(await compressed(body), c.res);
  c.res.headers.set('Content-Encoding', 'gzip');
};
