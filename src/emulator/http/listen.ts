/** Where and how the emulator listens, for everything that it can serve. */
import { makeCertificate } from './certificate.ts';
import { serve, type HttpHandler, type RunningServer, type ServerOptions } from './server.ts';

export interface ListenOptions {
  /** Defaults to 127.0.0.1. */
  readonly host?: string;
  /** Defaults to 0: a free port. */
  readonly port?: number;
  /** The path of a Unix socket, instead of host and port. */
  readonly socketPath?: string;
  /**
   * Serves HTTPS, with this certificate and key (PEM). With `true`, a certificate is created at the start for
   * localhost, the host and `*.tencentcloudapi.com`. The emulator adds the hosts of its regions and of the
   * internal network. Defaults to `false`.
   */
  readonly tls?: boolean | { readonly cert: string; readonly key: string };
}

interface InternalListenOptions extends ListenOptions {
  /** The certificate is also for `*.NAME.tencentcloudapi.com`. */
  readonly subdomains?: readonly string[];
}

/** A certificate of more names would be too long. */
const maxSubdomains = 1_000;

export interface ListeningServer extends RunningServer {
  /** The authority (PEM) of the certificate that was created at the start. `null` without one. */
  readonly certificateAuthority: string | null;
}

export async function listen(
  handler: HttpHandler,
  options: InternalListenOptions,
  connections: Pick<ServerOptions, 'requestsPerConnection' | 'idleConnectionMs'>,
): Promise<ListeningServer> {
  const { host = '127.0.0.1', port = 0, socketPath, subdomains = [], tls = false } = options;
  const domains = ['', ...subdomains.slice(0, maxSubdomains).map((name) => `${name}.`)];
  const hosts = domains.map((domain) => `*.${domain}tencentcloudapi.com`);
  const made =
    tls === true ? makeCertificate(['localhost', '127.0.0.1', '::1', host, ...hosts]) : null;
  const server = await serve(handler, {
    address: socketPath === undefined ? { host, port } : { socketPath },
    certificate: typeof tls === 'object' ? tls : made,
    ...connections,
  });
  return { ...server, certificateAuthority: made?.authority ?? null };
}
