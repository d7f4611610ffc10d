import type { ExpositionFormat } from './text-format.ts';

export type Encoding = 'identity' | 'gzip';

/**
 * The format for an `Accept` header: OpenMetrics if the header prefers it, else the Prometheus text format.
 */
export function formatFor(accept: string | undefined): ExpositionFormat {
  const openMetrics = qualityOf(accept, (type) => type === 'application/openmetrics-text');
  const plain = qualityOf(accept, (type) => type === 'text/plain');
  return openMetrics > 0 && openMetrics >= plain ? 'openmetrics' : 'prometheus';
}

/** The encoding that an `Accept-Encoding` header allows. */
export function encodingFor(acceptEncoding: string | undefined): Encoding {
  const gzip = qualityOf(acceptEncoding, (name) => name === 'gzip' || name === 'x-gzip');
  return gzip > 0 ? 'gzip' : 'identity';
}

/** The highest `q` of the matching elements. 0 when none matches. Malformed elements do not match. */
function qualityOf(header: string | undefined, matches: (name: string) => boolean): number {
  const qualities = (header ?? '').split(',').map((element) => {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
    if (!matches(name)) return 0;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    if (weight === undefined) return 1;
    const quality = Number(weight.slice(2));
    return quality >= 0 && quality <= 1 ? quality : 0;
  });
  return Math.max(...qualities);
}
