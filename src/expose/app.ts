/**
 * The routes of the daemon: metrics for Prometheus, pages for people, JSON for programs. The daemon gives `server.ts` first
 * `startingApp`, then `createApp`.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Pace } from '../model/async.ts';
import {
  jsonAnswer,
  notFound,
  RenderQueue,
  textAnswer,
  type Answer,
  type AppRequest,
} from './answers.ts';
import { createEvaluator } from './evaluation.ts';
import { FilterError, type ListAnswer } from './filter.ts';
import { changesAnswer } from './json/changes-answer.ts';
import { launchesAnswer } from './json/launches-answer.ts';
import { quotasAnswer } from './json/quotas-answer.ts';
import { targetsAnswer } from './json/targets-answer.ts';
import { english, type Texts } from '../model/texts/texts.ts';
import { createScrapeHandler, type ScrapeOptions } from './metrics/exposition.ts';
import { acceptsGzip, textsFor } from './metrics/negotiate.ts';
import type { MonitorView } from './monitor-view.ts';
import { badAddressPage } from './page/document.ts';
import { createStatusPage } from './page/page.ts';

/**
 * Answers a request; the server calls it with the path below its prefix. The query is empty, or begins with a question
 * mark. An error is a bug of this program: the server logs it and answers 500.
 */
export type App = (path: string, query: string, request: AppRequest) => Answer | Promise<Answer>;

export interface AppOptions extends Pick<ScrapeOptions, 'processMetrics' | 'shard'> {
  readonly view: MonitorView;
  /** Minimum time between two renderings of an address. Defaults to 1 s. */
  readonly minRenderMs?: number | undefined;
  /** True: clients need a user, but `/-/ready` may be open to everyone, so it gives no reason. */
  readonly hasUsers: () => boolean;
}

/** The paths of the JSON lists for programs. */
const listPaths = [
  '/api/v1/quotas',
  '/api/v1/launches',
  '/api/v1/targets',
  '/api/v1/changes',
] as const;
const paths = ['/', '/metrics', '/-/healthy', '/-/ready', '/-/reload', ...listPaths] as const;
type Path = (typeof paths)[number];

const healthy = textAnswer(200, 'healthy\n');
const starting = textAnswer(503, 'starting: the stored records are not read yet\n');

/** The app until the stored records are read: 503 but for `/-/healthy`, because the process is alive. */
export const startingApp: App = createRouter(
  (path) => () => (path === '/-/healthy' ? healthy : starting),
);

/** The app that evaluates the records for scrapes, pages and lists. Scrapes have a queue that goes before that of the others. */
export function createApp(options: AppOptions): App {
  const { hasUsers, minRenderMs, processMetrics, shard, view } = options;
  const evaluator = createEvaluator(view);
  const scrapes = new RenderQueue(minRenderMs);
  const readers = new RenderQueue(minRenderMs, scrapes);
  const scrape = createScrapeHandler({ evaluator, processMetrics, shard, queue: scrapes });
  /** The route of a page or a list. The queue renders it once for each query, language and compression. */
  const rendered =
    (render: RenderQuery, refuse: (mistake: string, texts: Texts) => Answer): App =>
    (path, text, { headers, socket }) => {
      const query = canonicalQuery(text);
      const isGzip = acceptsGzip(headers['accept-encoding']);
      const texts = path === '/' ? textsFor(query, headers['accept-language']) : english;
      return readers.ask(`${path}?${query} ${isGzip} ${texts.language}`, socket, async (pace) => {
        const answer = await render(query, pace, texts).catch((error: unknown) => {
          if (error instanceof FilterError) return refuse(error.message, texts);
          throw error;
        });
        return encoded(answer, isGzip);
      });
    };
  const list = (answer: ListAnswer) =>
    rendered((query, pace) => answer(evaluator, query, pace), badQueryAnswer);
  const routes: Readonly<Record<Path, App>> = {
    '/metrics': (_path, _query, request) => scrape(request),
    '/-/healthy': () => healthy,
    '/-/ready': () => readinessAnswer(view, hasUsers()),
    '/-/reload': (_path, _query, { headers }) => reloadAnswer(view, headers),
    '/': rendered(createStatusPage(evaluator), badAddressPage),
    '/api/v1/quotas': list(quotasAnswer),
    '/api/v1/launches': list(launchesAnswer),
    '/api/v1/targets': list(targetsAnswer),
    '/api/v1/changes': list(changesAnswer),
  };
  return createRouter((path) => routes[path]);
}

/**
 * Renders the answer to a query. Rejects with a FilterError for a query with a mistake.
 *
 * @param query in the form of {@link canonicalQuery}
 */
type RenderQuery = (query: string, pace: Pace, texts: Texts) => Promise<Answer>;

/** The parameters in one order, each once: queries that ask for the same have the same text. */
function canonicalQuery(query: string): string {
  const parameters = [...new URLSearchParams(query)];
  const texts = parameters.map((parameter) => String(new URLSearchParams([parameter])));
  return [...new Set(texts)].toSorted().join('&');
}

function badQueryAnswer(mistake: string): Answer {
  return jsonAnswer([`"error":${JSON.stringify(mistake)}`], 400);
}

/** An app with a route for each path. An unknown path is 404, and a method that a path does not allow is 405. */
function createRouter(routeOf: (path: Path) => App): App {
  const byPath = new Map<string, App>(paths.map((path) => [path, routeOf(path)]));
  return (path, query, request) => {
    const { method = '' } = request;
    const route = byPath.get(path);
    if (route === undefined) return notFound;
    const allowed = path === '/-/reload' ? ['POST'] : ['GET', 'HEAD'];
    if (!allowed.includes(method)) {
      return textAnswer(405, 'method not allowed\n', { Allow: allowed.join(', ') });
    }
    return route(path, query, request);
  };
}

const compress = promisify(gzip);

/** The answer with its body as bytes, compressed or not: all clients that get the answer share them. */
async function encoded({ body, headers, status }: Answer, isGzip: boolean): Promise<Answer> {
  const bytes = isGzip ? await compress(body) : Buffer.from(String(body));
  const encoding = isGzip && { 'Content-Encoding': 'gzip' };
  const ofBytes = { 'Content-Length': bytes.length, Vary: 'Accept-Language, Accept-Encoding' };
  return { status, headers: { ...headers, ...encoding, ...ofBytes }, body: bytes };
}

/**
 * The answer to `/-/ready`: 200 or 503 with one line, and a second line while records cannot be stored.
 *
 * @param isBrief leaves out that second line, which may name a path or a host
 */
async function readinessAnswer(view: MonitorView, isBrief: boolean): Promise<Answer> {
  await view.refresh?.();
  const { isReady, attempted, targets } = view.readiness();
  const { problem } = view.cluster() ?? view.status().storage;
  const readiness = isReady
    ? `ready: ${attempted} of ${targets} targets attempted`
    : `not ready: ${targets - attempted} of ${targets} targets not yet attempted`;
  const reason = isBrief || problem === null ? '' : `records cannot be stored: ${problem}\n`;
  return textAnswer(isReady ? 200 : 503, `${readiness}\n${reason}`);
}

/** The answer to `/-/reload`: reloads the configuration, if `--web.enable-lifecycle` permits it and the request does not come from a browser. */
async function reloadAnswer(view: MonitorView, headers: IncomingHttpHeaders): Promise<Answer> {
  // A page of another site may have rebound the name of its host to ours, so not even our own origin is right. hono's
  // `csrf` takes JSON from every site, and refuses programs, which name no origin.
  if ((headers.origin ?? headers['sec-fetch-site']) !== undefined) {
    return textAnswer(403, 'reloads from a browser are refused\n');
  }
  if (view.reload === null) {
    const what = 'start serve with --web.enable-lifecycle, or send it SIGHUP';
    return textAnswer(403, `reloading over HTTP is not enabled: ${what}\n`);
  }
  const result = await view.reload();
  return result.ok ? textAnswer(200, 'reloaded\n') : textAnswer(500, `${result.reason}\n`);
}
