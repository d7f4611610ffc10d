/**
 * Control over HTTP while the emulator runs, under `/_emulator/`: JSON in and out; bad input is answered
 * with 400 and the reason.
 */
import type { EmulatorReply, EmulatorRequest } from '../protocol/message.ts';
import type { Service } from '../service/service.ts';
import { InvalidInputError } from '../shared/validate.ts';
import { controlRoutes, type ControlRoute } from './routes.ts';

const prefix = '/_emulator';

/** Whether a request is for the control API and not for the service. */
export function isControlRequest({ target }: EmulatorRequest): boolean {
  return /^\/_emulator(?=[/?]|$)/.test(target);
}

/** A handler for the requests that {@link isControlRequest} picks out. */
export function createControlApi(service: Service): (request: EmulatorRequest) => EmulatorReply {
  const routes = controlRoutes(service);
  const overview = routes.map(({ method, path, does }) => ({ method, path: prefix + path, does }));
  const index: ControlRoute = {
    method: 'GET',
    path: '/',
    does: 'lists these routes',
    run: () => ({ routes: overview }),
  };
  return (request) => {
    try {
      return dispatch([index, ...routes], request);
    } catch (error) {
      if (error instanceof InvalidInputError) return json(400, { error: error.message });
      throw error;
    }
  };
}

function dispatch(routes: readonly ControlRoute[], request: EmulatorRequest): EmulatorReply {
  const { pathname, searchParams: query } = new URL(request.target, 'http://emulator');
  const path = pathname.slice(prefix.length) || '/';
  const found = routes.flatMap((route) => {
    const rest = matchPath(route.path, path);
    return rest === null ? [] : [{ route, rest }];
  });
  if (found.length === 0) return json(404, { error: `there is no ${pathname}; see ${prefix}/` });
  const match = found.find(({ route }) => route.method === request.method);
  if (match === undefined) {
    const methods = found.map(({ route }) => route.method).join(', ');
    return json(405, { error: `${pathname} takes ${methods} only` });
  }
  const result = match.route.run({ query, rest: match.rest, body: () => parseBody(request) });
  return result === null ? json(404, { error: `there is no ${match.rest}` }) : json(200, result);
}

/** What stands in place of the `*` at the end of a route's path; `null` when the path is another. */
function matchPath(pattern: string, path: string): string | null {
  if (!pattern.endsWith('*')) return pattern === path ? '' : null;
  const start = pattern.slice(0, -1);
  return path.startsWith(start) && path.length > start.length ? path.slice(start.length) : null;
}

function parseBody(request: EmulatorRequest): unknown {
  const text = new TextDecoder().decode(request.body);
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    throw new InvalidInputError('body', ['it is no JSON']);
  }
}

function json(status: number, value: unknown): EmulatorReply {
  return {
    status,
    contentType: 'application/json',
    headers: {},
    body: `${JSON.stringify(value, null, 2)}\n`,
    latencyMs: 0,
    delivery: { kind: 'whole' },
  };
}
