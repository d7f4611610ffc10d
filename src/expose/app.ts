/** The routes of the daemon: metrics for Prometheus, pages for people, JSON for programs. */
import type { RequestListener } from 'node:http';
import { Hono, type Context, type Handler } from 'hono';
import { compress } from 'hono/compress';
import type { Exposition, ExpositionAnswer } from './metrics/exposition.ts';
import { acceptsGzip } from './metrics/negotiate.ts';
import { FilterError } from './filter.ts';
import { statusPage } from './page/page.ts';
import {
  answerWith,
  commonHeaders,
  internalErrorText,
  notAllowedText,
  textHeaders,
  type FailureListener,
} from './answers.ts';
import { changesJson } from './json/changes.ts';
import { launchesJson } from './json/launches.ts';
import { quotasAnswer } from './json/quotas.ts';
import { targetsJson } from './json/targets.ts';
import type { Source } from './json/list.ts';
import type { MonitorView } from './monitor-view.ts';

const csvHeaders = {
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': 'attachment; filename="quotas.csv"',
};

const startingText = 'starting: the stored records are not read yet\n';

/** A page of another site may have rebound the name of its host to ours, so not even our own origin is right. */
const noBrowser = 'reloads from a browser are refused\n';
const lifecycleDisabled =
  'reloading over HTTP is not enabled: start serve with --web.enable-lifecycle, or send it SIGHUP\n';

const refuse =
  (allow: string): Handler =>
  (c) =>
    c.body(notAllowedText, 405, { ...textHeaders, Allow: allow });

/** Every route except `/metrics`, which `scrape` answers. */
export type WebApp = Hono & { readonly scrape: RequestListener };

/**
 * @param source what pages and lists are made of
 * @param hasUsers whether clients need a user: then `/-/ready` may be answered to everyone, and gives no reason
 */
export function createApp(
  source: Source,
  exposition: Exposition,
  onFailure: FailureListener,
  hasUsers: () => boolean = () => false,
): WebApp {
  const { view } = source;
  const app = new Hono();
  /** A route for GET and HEAD only. */
  const readOnly = (path: string, handler: Handler) =>
    app.get(path, handler).all(path, refuse('GET, HEAD'));

  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(commonHeaders)) c.res.headers.set(name, value);
  });
  app.use(
    compress({
      encoding: 'gzip',
      contentTypeFilter: /^(?:text\/html|text\/csv|application\/json)\b/,
    }),
  );
  // Whether the process is alive depends on nothing that follows.
  readOnly('/-/healthy', (c) => c.body('healthy\n', 200, textHeaders));
  app.use(async (c, next) => {
    if (!view.isLoaded()) return c.body(startingText, 503, textHeaders);
    await view.refresh?.();
    return next();
  });

  const pageFor = statusPage(view, source.watch);
  readOnly('/', async (c) => {
    const { gzipped, page } = await pageFor(searchOf(c));
    const isGzip = acceptsGzip(c.req.header('Accept-Encoding'));
    return c.body(isGzip ? new Uint8Array(gzipped) : page.html, page.status, {
      ...page.headers,
      'Content-Type': 'text/html; charset=utf-8',
      Vary: 'Accept-Encoding',
      ...(isGzip && { 'Content-Encoding': 'gzip' }),
    });
  });

  readOnly('/api/v1/quotas', async (c) => {
    const { isCsv, text } = await quotasAnswer(source, searchOf(c));
    return isCsv ? c.body(text, 200, csvHeaders) : json(c, text);
  });
  readOnly('/api/v1/launches', async (c) => json(c, await launchesJson(source, searchOf(c))));
  readOnly('/api/v1/targets', async (c) => json(c, await targetsJson(source, searchOf(c))));
  readOnly('/api/v1/changes', async (c) => json(c, await changesJson(source, searchOf(c))));

  readOnly('/-/ready', (c) =>
    c.body(readinessText(view, hasUsers()), view.readiness().isReady ? 200 : 503, textHeaders),
  );

  app.post('/-/reload', async (c) => {
    if ((c.req.header('Origin') ?? c.req.header('Sec-Fetch-Site')) !== undefined) {
      return c.body(noBrowser, 403, textHeaders);
    }
    if (!view.isLifecycleEnabled()) return c.body(lifecycleDisabled, 403, textHeaders);
    const result = await view.reload();
    return result.ok
      ? c.body('reloaded\n', 200, textHeaders)
      : c.body(`${result.reason}\n`, 500, textHeaders);
  });
  app.all('/-/reload', refuse('POST'));

  app.notFound((c) => c.body('not found\n', 404, textHeaders));
  app.onError((error, c) => {
    if (error instanceof FilterError) return c.json({ error: error.message }, 400);
    onFailure(error, c.req.path);
    return c.body(internalErrorText, 500, textHeaders);
  });
  /** Without the framework, which would take longer than the rest of a scrape, and copies long bodies. */
  const scrape: RequestListener = ({ headers, method }, response) => {
    if (method !== 'GET' && method !== 'HEAD') {
      answerWith(response, 405, notAllowedText, { Allow: 'GET, HEAD' });
    } else if (view.isLoaded()) {
      const send = (answer: ExpositionAnswer) =>
        response.writeHead(200, answer.headers).end(answer.body);
      const answer = exposition.answer(headers.accept, headers['accept-encoding']);
      if (answer instanceof Promise) {
        answer.then(send).catch((error: unknown) => {
          onFailure(error, '/metrics');
          answerWith(response, 500, internalErrorText);
        });
      } else send(answer);
    } else answerWith(response, 503, startingText);
  };
  return Object.assign(app, { scrape });
}

/**
 * One line, and a second one while records cannot be stored.
 *
 * @param isBrief no reason, which may name a path or a host: those who may not see it may read the answer
 */
function readinessText(view: MonitorView, isBrief: boolean): string {
  const { isReady, attempted, targets } = view.readiness();
  const { problem } = view.cluster() ?? { problem: view.storageProblem() };
  const readiness = isReady
    ? `ready: ${attempted} of ${targets} targets attempted`
    : `not ready: ${targets - attempted} of ${targets} targets not yet attempted`;
  const reason = isBrief || problem === null ? '' : `records cannot be stored: ${problem}\n`;
  return `${readiness}\n${reason}`;
}

/** @param lists one or more lists under their names */
function json(c: Context, lists: string): Response {
  return c.body(`{${lists}}`, 200, { 'Content-Type': 'application/json' });
}

function searchOf(c: Context): URLSearchParams {
  return new URL(c.req.url).searchParams;
}
