/** Answers `/metrics`. */
import type { RequestListener } from 'node:http';
import { forLast } from '../model/for-last.ts';
import type { Exposition } from './metrics/exposition.ts';
import { encodingFor, formatFor } from './metrics/negotiate.ts';
import { contentTypeOf } from './metrics/text-format.ts';
import { answerWith, internalErrorText, notAllowedText, type FailureListener } from './answers.ts';

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
      answerWith(response, 405, notAllowedText, { Allow: 'GET, HEAD' });
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
        answerWith(response, 200, body, headers);
      },
      (error: unknown) => {
        onFailure(error, '/metrics');
        answerWith(response, 500, internalErrorText);
      },
    );
  };
}
