import { afterAll, beforeAll } from 'vitest';
import type { WebApp } from '../../src/expose/web/app.ts';
import { startWebServer, type WebServer } from '../../src/expose/web/server.ts';

/** Serves an app over HTTP while the tests of the calling file run; the URL is known once they do. */
export function serveForAllTests(app: WebApp): { readonly url: string } {
  const served = { url: '' };
  let server: WebServer;
  beforeAll(async () => {
    server = await startWebServer(app, { addresses: [{ host: '127.0.0.1', port: 0 }] });
    served.url = server.url;
  });
  afterAll(() => server.close());
  return served;
}
