/** Refuses requests that a page of another site makes. `server.ts` asks it about pages and lists of a loopback listener. */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/**
 * Why a request is refused, as the text of the answer; `null` for one that is not.
 *
 * @param externalHost the host of `--web.external-url`; `null` without it
 */
export function refusalOf(
  headers: IncomingHttpHeaders,
  externalHost: string | null,
): string | null {
  if (!isOwnHost(headers.host, externalHost)) {
    return 'this host name is not served here: use localhost or an address, or name the URL with --web.external-url\n';
  }
  return isOfAnotherSite(headers) ? 'requests of other sites are refused\n' : null;
}

/**
 * True for `localhost`, an IP address and the external host: no other site can own these names. A site can give its own
 * name the address 127.0.0.1, and its pages could then read ours (DNS rebinding).
 */
function isOwnHost(host: string | undefined, externalHost: string | null): boolean {
  const name = (host ?? 'localhost').replace(/:\d*$/, '').toLowerCase();
  return name === 'localhost' || name === externalHost || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

/**
 * True if a browser asks on behalf of a page of another site, or of another port of this machine (`same-site`). Such a
 * page cannot read the answer, but could make the daemon render all day. A link that a person follows is no such request.
 */
function isOfAnotherSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'] ?? 'none';
  const isLink =
    headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return site !== 'none' && site !== 'same-origin' && !isLink;
}
