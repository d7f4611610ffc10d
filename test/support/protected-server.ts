import type { IncomingMessage, ServerResponse } from 'node:http';
import { compare } from 'bcryptjs';
import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import type { WebApp } from '../../src/expose/app.ts';
import { startWebServer, type WebLimits } from '../../src/expose/server.ts';
import { BoundedCalls } from '../../src/files/bounded-calls.ts';
import { WebProtection, type ProtectionOptions } from '../../src/expose/web-config/protection.ts';
import { silentLogger } from './silent-logger.ts';

/**
 * Serves `fine` at every path with a web configuration file, until the test has finished. Passwords are
 * compared in this thread.
 */
export async function startProtected(
  file: string,
  { limits = {}, ...options }: Partial<ProtectionOptions> & { limits?: Partial<WebLimits> } = {},
) {
  const protection = await WebProtection.open({
    file,
    isHealthOpen: false,
    clock: { now: Date.now },
    logger: silentLogger,
    calls: new BoundedCalls(),
    bcrypt: { compare, close: () => undefined },
    rereadMs: 50,
    ...options,
  });
  const app: WebApp = Object.assign(
    new Hono().all('*', (c) => c.body('fine')),
    { scrape: (_: IncomingMessage, response: ServerResponse) => void response.end('fine') },
  );
  const server = await startWebServer(app, {
    addresses: [{ host: '127.0.0.1', port: 0 }],
    protection,
    limits,
  });
  onTestFinished(() => server.close());
  return { url: server.url, protection, server };
}
