/** Reads what a client accepts: the format of a scrape, and gzip for any answer. */
import { parseAccept } from 'hono/utils/accept';
import type { ExpositionFormat } from './text-format.ts';

/** OpenMetrics if the `Accept` header prefers it to `text/plain` or ranks both alike, else the Prometheus text format. */
export function formatFor(accept: string | undefined): ExpositionFormat {
  const openMetrics = qualityOf(accept, ['application/openmetrics-text']);
  return openMetrics > 0 && openMetrics >= qualityOf(accept, ['text/plain'])
    ? 'openmetrics'
    : 'prometheus';
}

/** True if an `Accept-Encoding` header names gzip with a quality above 0. A wildcard does not count. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return qualityOf(acceptEncoding, ['gzip', 'x-gzip']) > 0;
}

/** The highest quality (`q`) of the elements with one of the names. 0 when there is none. */
function qualityOf(header: string | undefined, names: readonly string[]): number {
  const accepted = parseAccept(header?.toLowerCase() ?? '');
  return accepted.find(({ type }) => names.includes(type))?.q ?? 0;
}
