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

const [healthyPath, reloadPath] = ['/-/healthy', '/-/reload'];

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
  const routes = new Map<string, Route>([
    ['/metrics', (_query, headers) => scrape(headers)],
    [healthyPath, () => textAnswer(200, 'healthy\n')],
    ['/-/ready', () => readinessAnswer(view, hasUsers())],
    [reloadPath, (_query, headers) => reloadAnswer(view, headers)],
    ['/', compressed(statusPage(source))],
    ['/api/v1/quotas', compressed((query) => quotasAnswer(source, query))],
    ['/api/v1/launches', compressed((query) => launchesAnswer(source, query))],
    ['/api/v1/targets', compressed((query) => targetsAnswer(source, query))],
    ['/api/v1/changes', compressed((query) => changesAnswer(source, query))],
  ]);
  const failed = (error: unknown, path: string) => {
    if (error instanceof FilterError) {
      return jsonAnswer([`"error":${JSON.stringify(error.message)}`], 400);
    }
    onFailure(error, path);
    return internalError;
  };
  return (path, query, { headers, method = '' }) => {
    const route = routes.get(path);
    if (route === undefined) return notFound;
    const allowed = path === reloadPath ? ['POST'] : ['GET', 'HEAD'];
    if (!allowed.includes(method)) {
      return textAnswer(405, 'method not allowed\n', { Allow: allowed.join(', ') });
    }
    // Whether the process is alive depends on nothing else.
    if (path !== healthyPath && !view.isLoaded()) {
      return textAnswer(503, 'starting: the stored records are not read yet\n');
    }
    const answer = route(query, headers);
    return answer instanceof Promise
      ? answer.catch((error: unknown) => failed(error, path))
      : answer;
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
