/** The routes of the daemon: metrics for Prometheus, pages for people, JSON for programs. */
import type { RequestListener } from 'node:http';
import { Hono, type Context, type Handler } from 'hono';
import type { Exposition } from '../metrics/exposition.ts';
import { encodingFor } from '../metrics/negotiate.ts';
import type { MonitorView } from '../monitor-view.ts';
import { StatusPage } from '../page/page.ts';
import { watchAll } from '../watched.ts';
import {
  commonHeaders,
  internalErrorText,
  notAllowedText,
  textHeaders,
  type FailureListener,
} from './answers.ts';
import { compression } from './compression.ts';
import { changesJson } from './json/changes.ts';
import {
  parseChangesQuery,
  parseQuotasQuery,
  parseTargetsQuery,
  QueryError,
} from './json/query.ts';
import { quotasCsv } from './json/quotas-csv.ts';
import { quotasJson } from './json/quotas.ts';
import { targetsJson } from './json/targets.ts';
import { readinessText } from './readiness.ts';
import { scrapeListener } from './scrape.ts';

/** The length of the CSV is known only at its end, so an answer to HEAD has no length. */
const csvType = 'text/csv; charset=utf-8';
const csvHeaders = {
  'Content-Type': csvType,
  'Content-Disposition': 'attachment; filename="quotas.csv"',
};

const lifecycleDisabled =
  'reloading over HTTP is not enabled: start serve with --web.enable-lifecycle, or send it SIGHUP\n';

const refuse =
  (allow: string): Handler =>
  (c) =>
    c.body(notAllowedText, 405, { ...textHeaders, Allow: allow });

/** Every route except `/metrics`, which `scrape` answers. */
export type WebApp = Hono & { readonly scrape: RequestListener };

export function createApp(
  view: MonitorView,
  exposition: Exposition,
  onFailure: FailureListener,
): WebApp {
  const app = new Hono();
  /** A route for GET and HEAD only. */
  const readOnly = (path: string, handler: Handler) =>
    app.get(path, handler).all(path, refuse('GET, HEAD'));

  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(commonHeaders)) c.res.headers.set(name, value);
    if (c.req.method !== 'HEAD' || c.res.headers.get('Content-Type') === csvType) return;
    // An answer to HEAD has no body to measure later, but it must have the headers of the answer to GET.
    const length = await lengthOf(c.res);
    c.res.headers.set('Content-Length', length);
  });
  app.use(compression);
  const { refresh } = view;
  if (refresh !== null) {
    app.use(async (c, next) => {
      // Whether the process is alive does not depend on others.
      if (c.req.path !== '/-/healthy') await refresh();
      await next();
    });
  }

  const statusPage = new StatusPage(view);
  readOnly('/', async (c) => {
    const isGzip = encodingFor(c.req.header('Accept-Encoding')) === 'gzip';
    const { body, headers, status } = await statusPage.answer(searchOf(c), isGzip);
    return c.body(new Uint8Array(body), status, headers);
  });

  const kinds = view.collectors.all.map(({ kind }) => kind);
  readOnly('/api/v1/quotas', (c) =>
    answerQuery(c, async () => {
      const query = parseQuotasQuery(searchOf(c), kinds);
      const all = watchAll(view, view.clock.now());
      if (query.format === 'json') return c.json(await quotasJson(all, query));
      return c.body(quotasCsv(all, query.filter), 200, csvHeaders);
    }),
  );
  readOnly('/api/v1/targets', (c) =>
    answerQuery(c, () => {
      const query = parseTargetsQuery(searchOf(c), kinds);
      return c.json(targetsJson(view, query));
    }),
  );
  readOnly('/api/v1/changes', (c) =>
    answerQuery(c, () => {
      const query = parseChangesQuery(searchOf(c), view.collectors.changeKinds);
      return c.json(changesJson(view.published.changes(), query, view.collectors));
    }),
  );

  readOnly('/-/healthy', (c) => c.body('healthy\n', 200, textHeaders));
  readOnly('/-/ready', (c) =>
    c.body(readinessText(view), view.readiness().isReady ? 200 : 503, textHeaders),
  );

  app.post('/-/reload', async (c) => {
    if (!view.isLifecycleEnabled()) return c.body(lifecycleDisabled, 403, textHeaders);
    const result = await view.reload();
    return result.ok
      ? c.body('reloaded\n', 200, textHeaders)
      : c.body(`${result.reason}\n`, 500, textHeaders);
  });
  app.all('/-/reload', refuse('POST'));

  app.notFound((c) => c.body('not found\n', 404, textHeaders));
  app.onError((error, c) => {
    onFailure(error, c.req.path);
    return c.body(internalErrorText, 500, textHeaders);
  });
  return Object.assign(app, { scrape: scrapeListener(exposition, refresh, onFailure) });
}

async function lengthOf(response: Response): Promise<string> {
  return String((await response.clone().arrayBuffer()).byteLength);
}

function searchOf(c: Context): URLSearchParams {
  return new URL(c.req.url).searchParams;
}

/** Answers a query. If it is invalid, the answer gives the reason. */
async function answerQuery(
  c: Context,
  answer: () => Response | Promise<Response>,
): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof QueryError) return c.json({ error: error.message }, 400);
    throw error;
  }
}
