/** Finds which HTTP proxies the transport uses, by the configuration or the environment. `transport.ts` calls it. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** The options of undici's `EnvHttpProxyAgent`. An empty text names no proxy. */
export interface ProxyVariables {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

export interface Proxies {
  readonly variables: ProxyVariables;
  /** The hosts of the proxies, for messages: without users and passwords. Empty without a proxy. */
  readonly hosts: readonly string[];
  /**
   * A sentence, if a variable is not the URL of a proxy: then the transport fails every request with it, and sends none
   * directly. `null` if all are valid.
   */
  readonly problem: string | null;
}

/**
 * Reads the setting `api.proxy`. undici says what the variables mean: HTTP_PROXY is also the proxy of an https
 * endpoint if there is no HTTPS_PROXY. The lower-case form of a variable overrides the upper-case form.
 *
 * @param setting `environment`, `none`, or the URL of a proxy without user and password
 */
export function resolveProxies(setting: string, env: Environment): Proxies {
  const variable = (name: string) => {
    const values = [env[name.toLowerCase()], env[name]].map((value = '') => value.trim());
    return values.find((value) => value !== '') ?? '';
  };
  const configured = setting === 'none' ? '' : setting;
  const isOfEnvironment = setting === 'environment';
  const httpProxy = isOfEnvironment ? withScheme(variable('HTTP_PROXY')) : configured;
  const httpsProxy = isOfEnvironment ? withScheme(variable('HTTPS_PROXY')) : configured;
  const noProxy = isOfEnvironment ? variable('NO_PROXY') : '';
  const urls = { HTTPS_PROXY: httpsProxy, HTTP_PROXY: httpProxy };
  const proxies = Object.entries(urls).filter(([, url]) => url !== '');
  const [wrongVariable] = proxies.find(([, url]) => !isProxy(url)) ?? [];
  if (wrongVariable !== undefined) {
    const problem = `the environment variable ${wrongVariable} is not the URL of an HTTP proxy, such as http://proxy.example.com:3128`;
    return { variables: { httpProxy: '', httpsProxy: '', noProxy: '' }, hosts: [], problem };
  }
  const hosts = new Set(proxies.map(([, url]) => new URL(url).host));
  return { variables: { httpProxy, httpsProxy, noProxy }, hosts: [...hosts], problem: null };
}

/** Adds `http://` to an address without a scheme, as curl does. */
function withScheme(address: string): string {
  return address === '' || address.includes('://') ? address : `http://${address}`;
}

/** Whether undici can use the address as a proxy. */
function isProxy(address: string): boolean {
  try {
    const { protocol, username, password } = new URL(address);
    // undici decodes them, too. A wrong percent-encoding throws.
    decodeURIComponent(`${username}:${password}`);
    return protocol === 'http:' || protocol === 'https:';
  } catch {
    return false;
  }
}
