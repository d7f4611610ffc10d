/** Refuses requests from pages of other sites. An operator may have such a page open in the same browser. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Whether a page of another site makes the request. Programs send neither header. Following a link is allowed:
 * it changes nothing, and the other site cannot read the answer. Alerts and dashboards link to the status page.
 */
function isFromOtherSite(request: IncomingMessage, ownOrigin: string | null): boolean {
  const { headers, method } = request;
  const { origin } = headers;
  if (origin !== undefined && origin !== ownOrigin && !isOriginOf(request, origin)) return true;
  if (headers['sec-fetch-site'] !== 'cross-site') return false;
  const isLink =
    (method === 'GET' || method === 'HEAD') &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document';
  return !isLink;
}

/**
 * Browsers leave out the default port of the scheme, so it is removed before the comparison. Anyone on the
 * network can forge a page without encryption, so a server with TLS treats such a page as another site.
 */
function isOriginOf({ headers: { host }, socket }: IncomingMessage, origin: string): boolean {
  if (host === undefined || !URL.canParse(origin)) return false;
  const { host: originHost, protocol } = new URL(origin);
  if ('encrypted' in socket && protocol !== 'https:') return false;
  const own = `${protocol}//${host}`;
  return originHost !== '' && URL.canParse(own) && new URL(own).host === originHost;
}

/**
 * Answers a request from a page of another site with 403. Returns whether it was such a request.
 *
 * @param ownOrigin the origin of our pages, if it is not the one of the request
 */
export function refuseOtherSites(
  request: IncomingMessage,
  response: ServerResponse,
  ownOrigin: string | null,
): boolean {
  if (!isFromOtherSite(request, ownOrigin)) return false;
  response
    .writeHead(403, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' })
    .end('requests of other sites are refused\n');
  return true;
}
