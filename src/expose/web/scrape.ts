/** Answers `/metrics`. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { forLast } from '../../model/for-last.ts';
import type { Exposition } from '../metrics/exposition.ts';
import { encodingFor, formatFor } from '../metrics/negotiate.ts';
import { contentTypeOf } from '../metrics/text-format.ts';
import {
  commonHeaders,
  internalErrorText,
  notAllowedText,
  textHeaders,
  type FailureListener,
} from './answers.ts';

const path = '/metrics';

/** Whether {@link scrapeListener} answers the request: its path is `/metrics`, with any query. */
export function isScrape({ url = '' }: IncomingMessage): boolean {
  if (url === path || url.startsWith(`${path}?`)) return true;
  // A client may send the whole URL, as for a proxy.
  return !url.startsWith('/') && URL.canParse(url) && new URL(url).pathname === path;
}

/**
 * Answers scrapes without the web framework. The framework would take longer than the rest of a scrape, and
 * would copy long bodies.
 *
 * @param refresh called before each answer, if there is something to wait for
 * @param onFailure called when a scrape fails; the answer is then 500
 */
export function scrapeListener(
  exposition: Exposition,
  refresh: (() => Promise<void>) | null,
  onFailure: FailureListener,
): RequestListener {
  // A scraper sends the same headers each time.
  const formatOf = forLast(formatFor);
  const encodingOf = forLast(encodingFor);
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      end(response, 405, { ...textHeaders, Allow: 'GET, HEAD' }, notAllowedText);
      return;
    }
    const { accept, 'accept-encoding': acceptEncoding } = request.headers;
    const format = formatOf(accept);
    const encoding = encodingOf(acceptEncoding);
    const headers: Record<string, string> = {
      'Content-Type': contentTypeOf[format],
      Vary: 'Accept, Accept-Encoding',
    };
    if (encoding === 'gzip') headers['Content-Encoding'] = 'gzip';
    const body = () => exposition.body(format, encoding);
    (refresh === null ? body() : refresh().then(body)).then(
      (body) => {
        end(response, 200, headers, body);
      },
      (error: unknown) => {
        onFailure(error, path);
        end(response, 500, textHeaders, internalErrorText);
      },
    );
  };
}

function end(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer | string,
): void {
  const length = { 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, Object.assign(length, headers, commonHeaders)).end(body);
}
