import { parseAccept } from 'hono/utils/accept';
import type { ExpositionFormat } from './text-format.ts';

/**
 * The format for an `Accept` header: OpenMetrics if the header prefers it, else the Prometheus text format.
 */
export function formatFor(accept: string | undefined): ExpositionFormat {
  const openMetrics = qualityOf(accept, ['application/openmetrics-text']);
  return openMetrics > 0 && openMetrics >= qualityOf(accept, ['text/plain'])
    ? 'openmetrics'
    : 'prometheus';
}

/** Whether an `Accept-Encoding` header allows gzip. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return qualityOf(acceptEncoding, ['gzip', 'x-gzip']) > 0;
}

/** The highest `q` of the elements with one of the names. 0 when there is none. */
function qualityOf(header: string | undefined, names: readonly string[]): number {
  const accepted = parseAccept(header?.toLowerCase() ?? '');
  return accepted.find(({ type }) => names.includes(type))?.q ?? 0;
}
