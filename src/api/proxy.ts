/** The HTTP proxy of each endpoint, from the configuration or from the environment. */
import { CodedError } from '../model/coded-error.ts';
import { noProxyMatcher } from './no-proxy.ts';

export interface Proxy {
  /** Its address without user and password, such as `http://proxy.example.com:3128`. */
  readonly origin: string;
  /** Its host and port, for messages. */
  readonly host: string;
  /** The header `Proxy-Authorization`, a secret. `null` for a proxy that asks for none. */
  readonly authorization: string | null;
}

/**
 * Finds the proxy of an endpoint. `null` for a direct connection.
 *
 * @throws CodedError `NetworkError` if the variable that names the proxy is not the URL of one
 */
export type ProxyFinder = (endpoint: URL) => Proxy | null;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the setting `api.proxy`. As in undici, HTTP_PROXY is also the proxy of an https endpoint if there is no
 * HTTPS_PROXY, and the lower-case form of a variable overrides the upper-case form.
 *
 * @param setting `environment`, `none`, or the URL of a proxy without user and password
 */
export function createProxyFinder(setting: string, env: Environment): ProxyFinder {
  if (setting === 'none') return () => null;
  if (setting !== 'environment') {
    const proxy = parseProxy(setting);
    return () => proxy;
  }
  const plain = fromVariable(env, 'HTTP_PROXY');
  const secure = fromVariable(env, 'HTTPS_PROXY') ?? plain;
  const isDirect = noProxyMatcher(firstValue(env, 'NO_PROXY')?.value ?? '');
  return (endpoint) => {
    const variable = endpoint.protocol === 'https:' ? secure : plain;
    if (variable === null || isDirect(endpoint)) return null;
    if (variable.proxy !== null) return variable.proxy;
    const message = `the environment variable ${variable.name} is not the URL of an HTTP proxy, such as http://proxy.example.com:3128`;
    throw new CodedError('NetworkError', message);
  };
}

/** The value of a variable in lower or upper case. An empty one counts as absent. */
function firstValue(env: Environment, upperCase: string) {
  for (const name of [upperCase.toLowerCase(), upperCase]) {
    const value = env[name]?.trim() ?? '';
    if (value !== '') return { name, value };
  }
  return null;
}

function fromVariable(env: Environment, upperCase: string) {
  const variable = firstValue(env, upperCase);
  return variable && { name: variable.name, proxy: parseProxy(variable.value) };
}

/** @param text a URL; its scheme may be absent, as for curl */
function parseProxy(text: string): Proxy | null {
  const address = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(address)) return null;
  const { protocol, origin, host, username, password } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  const credentials = `${decoded(username)}:${decoded(password)}`;
  const authorization =
    credentials === ':' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { origin, host, authorization };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
