/** How the endpoints are reached: the proxies, and the authorities that are trusted. */
import type { SecureContext } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { trustAlso } from './authorities.ts';
import { createProxyFinder, type Proxy, type ProxyFinder } from './proxy.ts';

export interface Route {
  /** `null` for a direct connection. */
  readonly proxy: Proxy | null;
  /** `undefined` if only the built-in authorities are trusted. */
  readonly secureContext: SecureContext | undefined;
}

export interface RouteSettings {
  /** `environment`, `none`, or the URL of a proxy. */
  readonly proxy: string;
  /** Certificates of authorities, in PEM. They join the built-in ones. */
  readonly authorities: readonly string[];
}

/** The routes of the process. One for all accounts, because an authority costs memory and time. */
export class Routes {
  readonly #env: Readonly<Record<string, string | undefined>>;
  #proxyOf: ProxyFinder = () => null;
  #authorities: readonly string[] = [];
  #secureContext: SecureContext | undefined;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
  }

  /** The authorities, for connections that never use a proxy. */
  get secureContext(): SecureContext | undefined {
    return this.#secureContext;
  }

  configure({ proxy, authorities }: RouteSettings): void {
    this.#proxyOf = createProxyFinder(proxy, this.#env);
    if (isDeepStrictEqual(authorities, this.#authorities)) return;
    this.#authorities = authorities;
    this.#secureContext = authorities.length === 0 ? undefined : trustAlso(authorities);
  }

  /** @throws CodedError `NetworkError` if the variable that names the proxy is not the URL of one */
  of(endpoint: URL): Route {
    return { proxy: this.#proxyOf(endpoint), secureContext: this.#secureContext };
  }
}

/** Whether connections of one route can be used for the other. */
export function isSameRoute(one: Route, other: Route): boolean {
  return one.secureContext === other.secureContext && isDeepStrictEqual(one.proxy, other.proxy);
}
