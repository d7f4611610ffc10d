/** Reads what a client accepts: the format of a scrape, gzip for scrapes and `app.ts`, and the language of the page. */
import { parseAccept } from 'hono/utils/accept';
import { english, languageOf, languages, textsOf, type Texts } from '../../model/texts/texts.ts';
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

/** Texts of a page whose address names the language: its links keep the parameter `lang`. */
const namedTexts = languages.map((lang) => textsOf(lang, { lang }));
/** Texts of a page whose language the browser chose: its links name none. */
const acceptedTexts = languages.map((lang) => textsOf(lang));

/**
 * The texts in the language of `lang` in the query; else in the first one of the `Accept-Language` header that the page has;
 * else in English.
 */
export function textsFor(query: string, acceptLanguage: string | undefined): Texts {
  const named = new URLSearchParams(query).get('lang');
  const accepted = parseAccept(acceptLanguage ?? '').filter(({ q }) => q > 0);
  const first = accepted.map(({ type }) => languageOf(type)).find((language) => language !== null);
  return (
    namedTexts.find(({ language }) => language === named) ??
    acceptedTexts.find(({ language }) => language === first) ??
    english
  );
}

/** The highest quality (`q`) of the header's elements with one of the names. 0 if it has none, or there is no header. */
function qualityOf(header: string | undefined, names: readonly string[]): number {
  const accepted = parseAccept(header?.toLowerCase() ?? '');
  return accepted.find(({ type }) => names.includes(type))?.q ?? 0;
}
