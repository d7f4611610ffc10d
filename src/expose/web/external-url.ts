/** The URL that browsers use, and the prefix of all paths, as in Prometheus. */
import type { IncomingMessage } from 'node:http';

/** Where the server is for its users. */
export interface Place {
  /** The origin that browsers see behind a reverse proxy; `null` if it is the one of the request. */
  readonly origin: string | null;
  /** The beginning of every path, such as `/quota`; empty for none. */
  readonly prefix: string;
}

/**
 * Reads the URL under which browsers reach the server, such as `https://ops.example.com/quota/`.
 *
 * @returns `null` if it is no URL of this kind
 */
export function parseExternalUrl(text: string): URL | null {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isPlain = url.username === '' && url.password === '' && !/[?#]/.test(text);
  return isPlain && parsePrefix(url.pathname) !== null ? url : null;
}

/**
 * Reads a path such as `/quota` or `/`. Slashes at both ends may be left out.
 *
 * @returns the path without a slash at its end; `null` if it is no path
 */
export function parsePrefix(text: string): string | null {
  const path = text.replace(/^\/+|\/+$/g, '');
  if (path === '') return '';
  return /^[\w.~!$&'()*+,;=:@%-]+(?:\/[\w.~!$&'()*+,;=:@%-]+)*$/.test(path) ? `/${path}` : null;
}

/** The prefix defaults to the path of the external URL. */
export function placeOf(external: URL | undefined, prefix: string | undefined): Place {
  return {
    origin: external?.origin ?? null,
    prefix: prefix ?? parsePrefix(external?.pathname ?? '') ?? '',
  };
}

/** The address of a request without the prefix; `null` if it does not have the prefix. */
export function withoutPrefix({ url = '' }: IncomingMessage, prefix: string): string | null {
  if (prefix === '') return url;
  const path = pathOf(url);
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : null;
}

/** Where to find the page for a request that only lacks the prefix or the last slash; else `null`. */
export function redirection({ method, url = '' }: IncomingMessage, prefix: string): string | null {
  const path = pathOf(url);
  const isMeant = path === '/' || path === prefix;
  return isMeant && (method === 'GET' || method === 'HEAD') ? `${prefix}/` : null;
}

/** A client may send the whole URL, as for a proxy. */
function pathOf(url: string): string {
  if (url.startsWith('/') || !URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname + search;
}
