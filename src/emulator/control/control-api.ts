/**
 * The control API under `/_emulator/`: it controls the emulator over HTTP while it runs. Requests and
 * answers are JSON. Bad input gets 400 with the reason.
 */
import { TrieRouter } from 'hono/router/trie-router';
import type { EmulatorReply, EmulatorRequest } from '../protocol/message.ts';
import type { Service } from '../service/service.ts';
import { InvalidInputError } from '../input/validate.ts';
import { controlMethods, controlRoutes, type ControlRoute } from './routes.ts';

const prefix = '/_emulator';

/** Whether a request is for the control API. All other requests are for the service. */
export function isControlRequest({ target }: EmulatorRequest): boolean {
  return target.startsWith(prefix) && /^(?:[/?]|$)/.test(target.slice(prefix.length));
}

/** The handler of the requests that {@link isControlRequest} accepts. */
export function createControlApi(service: Service): (request: EmulatorRequest) => EmulatorReply {
  const routes = controlRoutes(service);
  const overview = routes.map(({ method, path, does }) => ({ method, path: prefix + path, does }));
  const index: ControlRoute = {
    method: 'GET',
    path: '/',
    does: 'lists these routes',
    run: () => ({ routes: overview }),
  };
  const router = new TrieRouter<ControlRoute>();
  for (const route of [index, ...routes]) router.add(route.method, prefix + route.path, route);
  return (request) => {
    try {
      return dispatch(router, request);
    } catch (error) {
      if (error instanceof InvalidInputError) return json(400, { error: error.message });
      throw error;
    }
  };
}

function dispatch(router: TrieRouter<ControlRoute>, request: EmulatorRequest): EmulatorReply {
  const { pathname, searchParams: query } = new URL(request.target, 'http://emulator');
  const path = pathname === prefix ? `${prefix}/` : pathname;
  const [[match]] = router.match(request.method, path);
  if (match === undefined) return notRouted(router, path);
  const [route, parameters] = match;
  const id = String(parameters['id'] ?? '');
  const result = route.run({ query, id, body: () => parseBody(request) });
  return result === null ? json(404, { error: `there is no ${id}` }) : json(200, result);
}

function notRouted(router: TrieRouter<ControlRoute>, path: string): EmulatorReply {
  const methods = controlMethods.filter((method) => router.match(method, path)[0].length > 0);
  return methods.length === 0
    ? json(404, { error: `there is no ${path}; see ${prefix}/` })
    : json(405, { error: `${path} takes ${methods.join(', ')} only` });
}

function parseBody(request: EmulatorRequest): unknown {
  const text = new TextDecoder().decode(request.body);
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    throw new InvalidInputError('body', ['it is not JSON']);
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
