/** Which hosts are reached without a proxy. undici knows no address ranges, so this file reads the list. */
import { BlockList, isIP } from 'node:net';

type Matches = (host: string, port: number) => boolean;

/**
 * Reads a list such as `10.0.0.0/8, .example.com, [::1]:8080`, separated by commas or spaces. An entry is:
 *
 * - a name; it matches the host and its subdomains. A dot or `*.` before it changes nothing.
 * - an IP address or a range of addresses (CIDR). They match an endpoint with an IP address. Names are not
 *   looked up.
 * - a name or an address with a port
 * - `*` for every host
 *
 * @returns whether an entry matches the host of a URL
 */
export function noProxyMatcher(list: string): (url: URL) => boolean {
  const entries = list.split(/[\s,]+/).filter((entry) => entry !== '');
  const matchers = entries.map(matcherOf);
  return (url) => {
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    const host = bare(url.hostname);
    return matchers.some((matches) => matches(host, port));
  };
}

function matcherOf(entry: string): Matches {
  if (entry === '*') return () => true;
  const [, base, prefix] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (base !== undefined) return inRange(bare(base), Number(prefix));
  const [, name = entry, port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  const matches = isIP(bare(name)) === 0 ? inDomain(name) : inRange(bare(name), Infinity);
  return port === undefined
    ? matches
    : (host, actual) => actual === Number(port) && matches(host, actual);
}

/** An IPv6 address without its brackets. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

function inDomain(name: string): Matches {
  const domain = name.replace(/^\*?\./, '').toLowerCase();
  return (host) => isIP(host) === 0 && (host === domain || host.endsWith(`.${domain}`));
}

/** @param prefix its length in bits; if it is too long, the whole address must match */
function inRange(address: string, prefix: number): Matches {
  const family = familyOf(address);
  if (family === null) return () => false;
  const range = new BlockList();
  range.addSubnet(address, Math.min(prefix, family === 'ipv4' ? 32 : 128), family);
  return (host) => {
    const hostFamily = familyOf(host);
    return hostFamily !== null && range.check(host, hostFamily);
  };
}

function familyOf(host: string): 'ipv4' | 'ipv6' | null {
  const version = isIP(host);
  if (version === 0) return null;
  return version === 4 ? 'ipv4' : 'ipv6';
}
