/** Answers scrapes. */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Exposition } from '../metrics/exposition.ts';
import { encodingFor, formatFor } from '../metrics/negotiate.ts';
import { contentTypeOf } from '../metrics/text-format.ts';

export interface Scrape {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer<ArrayBuffer>;
}

/** The exposition as the headers `Accept` and `Accept-Encoding` of a request want it. */
export async function scrape(
  exposition: Exposition,
  accept: string | undefined,
  acceptEncoding: string | undefined,
): Promise<Scrape> {
  const format = formatFor(accept);
  const encoding = encodingFor(acceptEncoding);
  const body = await exposition.body(format, encoding);
  const headers: Record<string, string> = {
    'Content-Type': contentTypeOf[format],
    Vary: 'Accept, Accept-Encoding',
  };
  if (encoding === 'gzip') headers['Content-Encoding'] = 'gzip';
  return { headers, body };
}

/** Told of an answer that could not be made: a fault of ours, worth its stack. */
export type FailureListener = (error: unknown, path: string) => void;

/** Whether {@link scrapeListener} answers the request. */
export function isPlainScrape({ method, url }: IncomingMessage): boolean {
  return url === '/metrics' && (method === 'GET' || method === 'HEAD');
}

/**
 * Answers plain scrapes past the framework, which would cost more than all else of a scrape and copy
 * long bodies.
 *
 * @param commonHeaders what every answer of the server has
 * @param onFailure told of a scrape that could not be made, which is answered with 500
 */
export function scrapeListener(
  exposition: Exposition,
  commonHeaders: Readonly<Record<string, string>>,
  onFailure: FailureListener,
): RequestListener {
  return (request, response) => {
    const { accept, 'accept-encoding': acceptEncoding } = request.headers;
    scrape(exposition, accept, acceptEncoding).then(
      ({ headers, body }) => {
        const length = { 'Content-Length': body.length };
        response.writeHead(200, Object.assign(length, headers, commonHeaders)).end(body);
      },
      (error: unknown) => {
        onFailure(error, '/metrics');
        response.writeHead(500, commonHeaders).end();
      },
    );
  };
}
