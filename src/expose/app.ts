/** The routes of the daemon: metrics for Prometheus, pages for people, JSON for programs. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { memoizePerObject } from '../model/memoize.ts';
import { internalError, jsonAnswer, notFound, textAnswer, type Answer } from './answers.ts';
import type { Evaluator } from './evaluation.ts';
import { FilterError } from './filter.ts';
import { changesAnswer } from './json/changes-answer.ts';
import { launchesAnswer } from './json/launches-answer.ts';
import { quotasAnswer } from './json/quotas-answer.ts';
import { targetsAnswer } from './json/targets-answer.ts';
import { acceptsGzip } from './metrics/negotiate.ts';
import type { MonitorView } from './monitor-view.ts';
import { createStatusPage } from './page/page.ts';

/**
 * Answers a request; the server calls it with the path below its prefix. The query is empty, or begins with a question
 * mark. Never rejects.
 */
export type App = (
  path: string,
  query: string,
  request: Pick<IncomingMessage, 'headers' | 'method'>,
) => Answer | Promise<Answer>;

type Route = (query: string, headers: IncomingHttpHeaders) => Answer | Promise<Answer>;

export interface AppOptions {
  /** Evaluates the records for pages and lists. */
  readonly evaluator: Evaluator;
  /** Answers `/metrics`. */
  readonly scrape: (headers: IncomingHttpHeaders) => Answer | Promise<Answer>;
  /** Receives the error of an answer. It is a bug of this program, so its stack is logged. */
  readonly onFailure: (error: unknown, path: string) => void;
  /** True: clients need a user, `/-/ready` may be open to everyone, and so it gives no reason. */
  readonly hasUsers: () => boolean;
}

/** Of the lists for programs. */
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

/** The app until the stored records are read: only `/-/healthy` is 200, because the process is alive. */
export const startingApp: App = createRouter(
  (path) => () => (path === '/-/healthy' ? healthy : starting),
);

export function createApp({ evaluator, scrape, onFailure, hasUsers }: AppOptions): App {
  const { view } = evaluator;
  const routes: Readonly<Record<Path, Route>> = {
    '/metrics': (_query, headers) => scrape(headers),
    '/-/healthy': () => healthy,
    '/-/ready': () => readinessAnswer(view, hasUsers()),
    '/-/reload': (_query, headers) => reloadAnswer(view, headers),
    '/': compressed(createStatusPage(evaluator)),
    '/api/v1/quotas': compressed((query) => quotasAnswer(evaluator, query)),
    '/api/v1/launches': compressed((query) => launchesAnswer(evaluator, query)),
    '/api/v1/targets': compressed((query) => targetsAnswer(evaluator, query)),
    '/api/v1/changes': compressed((query) => changesAnswer(evaluator, query)),
  };
  const router = createRouter((path) => routes[path]);
  return (path, query, request) => {
    const answer = router(path, query, request);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => {
      if (error instanceof FilterError) {
        return jsonAnswer([`"error":${JSON.stringify(error.message)}`], 400);
      }
      onFailure(error, path);
      return internalError;
    });
  };
}

/** An app with a route for each path. An unknown path is 404, and a method that a path does not allow is 405. */
function createRouter(routeOf: (path: Path) => Route): App {
  const byPath = new Map<string, Route>(paths.map((path) => [path, routeOf(path)]));
  return (path, query, { headers, method = '' }) => {
    const route = byPath.get(path);
    if (route === undefined) return notFound;
    const allowed = path === '/-/reload' ? ['POST'] : ['GET', 'HEAD'];
    if (!allowed.includes(method)) {
      return textAnswer(405, 'method not allowed\n', { Allow: allowed.join(', ') });
    }
    return route(query, headers);
  };
}

const compress = promisify(gzip);

/**
 * A route that compresses its answer for clients that accept gzip, and the same answer object once: the page is the same
 * for a time, and a list of the API is a new one for each request. hono's `compress` does it for each request: with 100
 * clients that load the page in a loop, a scrape then waits for 8 s, and with this for 24 ms.
 */
function compressed(route: Route): Route {
  const compressedBody = memoizePerObject(({ body }: Answer) => compress(body));
  return async (query, requestHeaders) => {
    const answer = await route(query, requestHeaders);
    const headers = { ...answer.headers, Vary: 'Accept-Encoding' };
    if (!acceptsGzip(requestHeaders['accept-encoding'])) return { ...answer, headers };
    const body = await compressedBody(answer);
    const bodyHeaders = { 'Content-Length': body.length, 'Content-Encoding': 'gzip' };
    return { ...answer, body, headers: { ...headers, ...bodyHeaders } };
  };
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

/** Reloads the configuration, if `--web.enable-lifecycle` permits it and the request does not come from a browser. */
async function reloadAnswer(view: MonitorView, headers: IncomingHttpHeaders): Promise<Answer> {
  // A page of another site may have rebound the name of its host to ours, so not even our own origin is right. hono's
  // `csrf` takes JSON from every site, and refuses programs, which name no origin.
  if ((headers.origin ?? headers['sec-fetch-site']) !== undefined) {
    return textAnswer(403, 'reloads from a browser are refused\n');
  }
  if (!view.isLifecycleEnabled()) {
    const what = 'start serve with --web.enable-lifecycle, or send it SIGHUP';
    return textAnswer(403, `reloading over HTTP is not enabled: ${what}\n`);
  }
  const result = await view.reload();
  return result.ok ? textAnswer(200, 'reloaded\n') : textAnswer(500, `${result.reason}\n`);
}
