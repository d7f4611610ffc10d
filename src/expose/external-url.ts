/**
 * Reads `--web.external-url` and `--web.route-prefix` for `serve`: the URL that browsers use, and the prefix of all paths.
 * `server.ts` serves below the prefix.
 */

/** The parts of the public URL that the server needs. */
export type PublicUrl = Readonly<ReturnType<typeof publicUrlOf>>;

/**
 * Reads the URL under which browsers reach the server, such as `https://ops.example.com/quota/`.
 *
 * @returns `null` for a text with another scheme, a user, a query or a fragment, and for one that is no URL
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
 * @returns the path without a slash at its end, empty for `/`; `null` if it is no path
 */
export function parsePrefix(text: string): string | null {
  const path = text.replace(/^\/+|\/+$/g, '');
  if (path === '') return '';
  return /^[\w.~!$&'()*+,;=:@%-]+(?:\/[\w.~!$&'()*+,;=:@%-]+)*$/.test(path) ? `/${path}` : null;
}

/** @param prefix by {@link parsePrefix}. Defaults to the path of the external URL */
export function publicUrlOf(external: URL | undefined, prefix: string | undefined) {
  return {
    /** The address of the status page without a slash at its end; `null` if it is not known. */
    page: external?.href.replace(/\/+$/, '') ?? null,
    /** The host name that browsers use behind a reverse proxy; `null` if it is not known. */
    host: external?.hostname ?? null,
    /** The beginning of every path, such as `/quota`; empty for none. */
    prefix: prefix ?? parsePrefix(external?.pathname ?? '') ?? '',
  };
}
