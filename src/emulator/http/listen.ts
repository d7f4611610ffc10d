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
   * localhost, the host and `*.tencentcloudapi.com`. Defaults to `false`.
   */
  readonly tls?: boolean | { readonly cert: string; readonly key: string };
}

export interface ListeningServer extends RunningServer {
  /** The authority (PEM) of the certificate that was created at the start. `null` without one. */
  readonly certificateAuthority: string | null;
}

export async function listen(
  handler: HttpHandler,
  options: ListenOptions,
  connections: Pick<ServerOptions, 'requestsPerConnection' | 'idleConnectionMs'>,
): Promise<ListeningServer> {
  const { host = '127.0.0.1', port = 0, socketPath, tls = false } = options;
  const made =
    tls === true
      ? makeCertificate(['localhost', '127.0.0.1', '::1', host, '*.tencentcloudapi.com'])
      : null;
  const server = await serve(handler, {
    address: socketPath === undefined ? { host, port } : { socketPath },
    certificate: typeof tls === 'object' ? tls : made,
    ...connections,
  });
  return { ...server, certificateAuthority: made?.authority ?? null };
}
