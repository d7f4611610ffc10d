/** The routes of the daemon: metrics for Prometheus, pages for people, JSON for programs. */
import { Hono } from 'hono';
import type { Exposition } from '../metrics/exposition.ts';
import { encodingFor, formatFor } from '../metrics/negotiate.ts';
import { contentTypeOf } from '../metrics/text-format.ts';
import type { MonitorView } from '../monitor-view.ts';
import { changeJson, targetJson } from './json.ts';
import { statusPage } from './status-page.ts';

const textHeaders = { 'Content-Type': 'text/plain; charset=utf-8' };

export function createApp(view: MonitorView, exposition: Exposition): Hono {
  const app = new Hono();

  app.use(async (c, next) => {
    const { method } = c.req;
    const isReload = method === 'POST' && c.req.path === '/-/reload';
    if (method !== 'GET' && method !== 'HEAD' && !isReload) {
      const allow = c.req.path === '/-/reload' ? 'POST' : 'GET, HEAD';
      return c.body('method not allowed\n', 405, { ...textHeaders, Allow: allow });
    }
    await next();
    c.res.headers.set('X-Content-Type-Options', 'nosniff');
    return undefined;
  });

  app.get('/metrics', async (c) => {
    const format = formatFor(c.req.header('Accept'));
    const encoding = encodingFor(c.req.header('Accept-Encoding'));
    const body = await exposition.body(format, encoding);
    return c.body(body, 200, {
      'Content-Type': contentTypeOf[format],
      Vary: 'Accept, Accept-Encoding',
      ...(encoding === 'gzip' && { 'Content-Encoding': 'gzip' }),
    });
  });

  app.get('/', (c) => c.html(statusPage(view)));

  app.get('/-/healthy', (c) => c.body('healthy\n', 200, textHeaders));

  app.get('/-/ready', (c) => {
    const { isReady, attempted, targets } = view.readiness();
    const problem = view.storageProblem();
    const storage = problem === null ? '' : `records cannot be stored: ${problem}\n`;
    const text = `${isReady ? 'ready' : 'not ready'}: ${attempted} of ${targets} targets attempted\n`;
    return c.body(text + storage, isReady ? 200 : 503, textHeaders);
  });

  app.post('/-/reload', async (c) => {
    const result = await view.reload();
    return result.ok
      ? c.body('reloaded\n', 200, textHeaders)
      : c.body(`${result.reason}\n`, 500, textHeaders);
  });
  app.get('/-/reload', (c) =>
    c.body('method not allowed\n', 405, { ...textHeaders, Allow: 'POST' }),
  );

  app.get('/api/v1/targets', (c) =>
    c.json({ targets: view.published.all().map((record) => targetJson(record, view)) }),
  );
  app.get('/api/v1/changes', (c) =>
    c.json({ changes: view.published.changes().toReversed().map(changeJson) }),
  );

  app.notFound((c) => c.body('not found\n', 404, textHeaders));
  return app;
}
