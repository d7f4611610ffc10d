/** The routes of the daemon: metrics for Prometheus, pages for people, JSON for programs. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ObjectMemo } from '../model/memoize.ts';
import { internalError, jsonAnswer, notFound, textAnswer, type Answer } from './answers.ts';
import { FilterError } from './filter.ts';
import { changesAnswer } from './json/changes.ts';
import { launchesAnswer } from './json/launches.ts';
import { quotasAnswer } from './json/quotas.ts';
import { targetsAnswer } from './json/targets.ts';
import { acceptsGzip } from './metrics/negotiate.ts';
import type { MonitorView } from './monitor-view.ts';
import { statusPage } from './page/page.ts';
import type { Evaluator } from './evaluation.ts';

/** Answers a request. The query is empty, or begins with a question mark. */
export type App = (
  path: string,
  query: string,
  request: Pick<IncomingMessage, 'headers' | 'method'>,
) => Answer | Promise<Answer>;

type Route = (query: string, headers: IncomingHttpHeaders) => Answer | Promise<Answer>;

const paths = [
  '/metrics',
  '/-/healthy',
  '/-/ready',
  '/-/reload',
  '/',
  '/api/v1/quotas',
  '/api/v1/launches',
  '/api/v1/targets',
  '/api/v1/changes',
] as const;
type Path = (typeof paths)[number];

const healthy = textAnswer(200, 'healthy\n');
const starting = textAnswer(503, 'starting: the stored records are not read yet\n');

/** The app until the stored records are read: only `/-/healthy` is 200, since the process is alive. */
export const startingApp: App = appOf((path) => () => (path === '/-/healthy' ? healthy : starting));

/**
 * @param source what pages and lists are made of
 * @param onFailure receives the error of an answer. It is a bug of this program, so its stack is logged
 * @param hasUsers whether clients need a user: then `/-/ready` may be answered to everyone, and gives no reason
 * @returns never rejects
 */
export function createApp(
  source: Evaluator,
  scrape: (headers: IncomingHttpHeaders) => Answer | Promise<Answer>,
  onFailure: (error: unknown, path: string) => void,
  hasUsers: () => boolean = () => false,
): App {
  const { view } = source;
  const routes: Readonly<Record<Path, Route>> = {
    '/metrics': (_query, headers) => scrape(headers),
    '/-/healthy': () => healthy,
    '/-/ready': () => readinessAnswer(view, hasUsers()),
    '/-/reload': (_query, headers) => reloadAnswer(view, headers),
    '/': compressed(statusPage(source)),
    '/api/v1/quotas': compressed((query) => quotasAnswer(source, query)),
    '/api/v1/launches': compressed((query) => launchesAnswer(source, query)),
    '/api/v1/targets': compressed((query) => targetsAnswer(source, query)),
    '/api/v1/changes': compressed((query) => changesAnswer(source, query)),
  };
  const app = appOf((path) => routes[path]);
  return (path, query, request) => {
    const answer = app(path, query, request);
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

/** An app of a route for each path. An unknown path is 404, and a method that a path does not allow is 405. */
function appOf(routeOf: (path: Path) => Route): App {
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
 * Compresses what a route answers for those who accept it: the same answer once. hono's `compress` does it for each
 * request: with 100 clients that load the page in a loop, a scrape then waits for 8 s, and with this for 24 ms.
 */
function compressed(route: Route): Route {
  const known = new ObjectMemo<Promise<Buffer>>();
  return async (query, asked) => {
    const answer = await route(query, asked);
    const headers = { ...answer.headers, Vary: 'Accept-Encoding' };
    if (!acceptsGzip(asked['accept-encoding'])) return { ...answer, headers };
    const body = await known.of(answer, [], () => compress(answer.body));
    const ofBody = { 'Content-Length': body.length, 'Content-Encoding': 'gzip' };
    return { ...answer, body, headers: { ...headers, ...ofBody } };
  };
}

/**
 * One line, and a second one while records cannot be stored.
 *
 * @param isBrief no reason, which may name a path or a host: those who may not see it may read the answer
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
