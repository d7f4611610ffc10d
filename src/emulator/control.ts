/**
 * The control API under `/_emulator/`: it controls the emulator over HTTP while it runs. Requests and answers are
 * JSON. Bad input gets 400 with the reason. Pages of other sites, and hosts that a site could have chosen, get 403.
 */
import { isIP } from 'node:net';
import { z } from 'zod';
import { formatPath } from '../validation/problem.ts';
import { headerOf, type EmulatorReply, type EmulatorRequest } from './protocol/message.ts';
import { actionSchema, type ActionInput } from './scenario/action.ts';
import { durationText, InvalidInputError, msOf, textOfMs, validate } from './scenario/words.ts';
import type { Service } from './service/service.ts';
import { StateError } from './state/state.ts';

const prefix = '/_emulator';

interface ControlCall {
  readonly query: URLSearchParams;
  /** The part of the path behind the path of the route. Empty for most routes. */
  readonly id: string;
  /** @throws InvalidInputError when the body is not JSON */
  readonly body: () => unknown;
}

/** By method and path, such as `GET /state`. A path that ends with `:id` has one more part. */
type Routes = Readonly<
  Record<string, { readonly does: string; readonly run: (call: ControlCall) => object | null }>
>;

function routesOf(service: Service): Routes {
  const { faults, requests } = service;
  const elapsed = () => ({ elapsed_seconds: service.elapsedMs / 1000 });
  const timeline = () => {
    const { isPaused, next } = service.timeline;
    const inMs = (next?.atElapsedMs ?? 0) - service.elapsedMs;
    return {
      paused: isPaused,
      ...elapsed(),
      next: next && { in: textOfMs(inMs), do: next.entry.do },
    };
  };
  return {
    'GET /state': {
      does: 'answers the state as of now, as a scenario that can be started again',
      run: () => service.stateScenario,
    },
    'POST /state': {
      does: 'applies an action, such as set-used, or a list of actions',
      run: ({ body }) => ({ applied: carryOut(service, body()) }),
    },
    'GET /changes': {
      does: 'lists the changes of default versions, versions, limits, zones and stock so far',
      run: () => ({ changes: service.state.changes.list() }),
    },
    'POST /time': {
      does: 'lets time pass at once: {"advance": "20s"}',
      run: ({ body }) => {
        service.advance(msOf(validate(advanceSchema, body(), 'body').advance));
        return elapsed();
      },
    },
    'GET /timeline': {
      does: 'answers whether the timeline is paused, and what comes next',
      run: timeline,
    },
    'POST /timeline': {
      does: 'pauses the timeline, applies its next entry, or lets it go on: {"do": "pause"}, "step", "resume"',
      run: ({ body }) => {
        const move = validate(timelineSchema, body(), 'body').do;
        if (move === 'pause') service.pauseTimeline();
        else if (move === 'step') service.stepTimeline();
        else service.resumeTimeline();
        return timeline();
      },
    },
    'POST /reset': {
      does: 'begins the scenario again',
      run: () => {
        service.reset();
        return elapsed();
      },
    },
    'GET /faults': {
      does: 'lists the fault rules in force and how often each has struck',
      run: () => ({ faults: faults.list() }),
    },
    'POST /faults': {
      does: 'adds a fault rule',
      run: ({ body }) => ({ id: faults.addUnknown(body()) }),
    },
    'DELETE /faults': {
      does: 'clears every fault rule',
      run: () => {
        const cleared = faults.list().length;
        faults.clear();
        return { cleared };
      },
    },
    'DELETE /faults/:id': {
      does: 'clears the fault rule of this ID',
      run: ({ id }) => (faults.remove(id) ? { cleared: 1 } : null),
    },
    'GET /requests': {
      does: 'lists the requests received, oldest first; ?limit=N for the last N',
      run: ({ query }) => {
        const { limit } = validate(listQuerySchema, Object.fromEntries(query), 'query');
        return { total: requests.total, requests: requests.list().slice(-limit) };
      },
    },
    'DELETE /requests': {
      does: 'forgets the requests received',
      run: () => {
        const cleared = requests.total;
        requests.clear();
        return { cleared };
      },
    },
  };
}

const advanceSchema = z.strictObject({ advance: durationText() });
const timelineSchema = z.strictObject({ do: z.enum(['pause', 'step', 'resume']) });
const listQuerySchema = z.strictObject({
  limit: z.coerce.number().int().min(1).default(10_000),
});

/**
 * Carries out an action or a list of actions. When the state does not allow one of them, none is applied.
 *
 * @returns how many actions there were
 * @throws InvalidInputError
 */
export function carryOut(service: Service, input: ActionInput | readonly ActionInput[] | unknown) {
  const actions = Array.isArray(input)
    ? validate(z.array(actionSchema), input, 'actions')
    : [validate(actionSchema, input, 'action')];
  try {
    service.apply(actions);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    const place = formatPath(Array.isArray(input) ? error.path : error.path.slice(1));
    throw new InvalidInputError('action', [`${place}: ${error.message}`]);
  }
  return actions.length;
}

/** Whether a request is for the control API. All other requests are for the service. */
export function isControlRequest({ target }: EmulatorRequest): boolean {
  return target.startsWith(prefix) && /^(?:[/?]|$)/.test(target.slice(prefix.length));
}

/**
 * The handler of the requests that {@link isControlRequest} accepts.
 *
 * @param ownHost the name that the emulator listens on
 */
export function createControlApi(
  service: Service,
  ownHost: string,
): (request: EmulatorRequest) => EmulatorReply {
  const routes = routesOf(service);
  const overview = Object.entries(routes).map(([route, { does }]) => {
    const [method = '', path = ''] = route.split(' ');
    return { method, path: prefix + path, does };
  });
  const all: Routes = {
    'GET /': { does: 'lists these routes', run: () => ({ routes: overview }) },
    ...routes,
  };
  return (request) => {
    const reason = refusal(request, ownHost);
    if (reason !== null) return json(403, { error: reason });
    try {
      return dispatch(all, request);
    } catch (error) {
      if (error instanceof InvalidInputError) return json(400, { error: error.message });
      throw error;
    }
  };
}

/**
 * Why a request may not control the emulator: a page of another site can make a browser send requests to this
 * machine, and can give its own name the address of this machine. A name without a dot belongs to no site.
 */
function refusal(request: EmulatorRequest, ownHost: string): string | null {
  const site = headerOf(request, 'sec-fetch-site') ?? 'none';
  const host = headerOf(request, 'host');
  if (headerOf(request, 'origin') !== null || !['none', 'same-origin'].includes(site)) {
    return 'the control API takes no orders from pages of browsers';
  }
  if (host === null) return null;
  const name = host.replace(/:\d+$/, '').toLowerCase();
  const isOwn = name === ownHost.toLowerCase() || !name.includes('.');
  return isOwn || isIP(name.replaceAll(/[[\]]/g, '')) > 0
    ? null
    : 'the control API answers only localhost, addresses, and names without a dot';
}

function dispatch(routes: Routes, request: EmulatorRequest): EmulatorReply {
  const { pathname, searchParams: query } = new URL(request.target, 'http://emulator');
  const path = pathname.slice(prefix.length) || '/';
  const [, id = ''] = /^\/faults\/([^/]+)$/.exec(path) ?? [];
  const known = id === '' ? path : '/faults/:id';
  const route = routes[`${request.method} ${known}`];
  if (route === undefined) {
    const methods = Object.keys(routes)
      .map((each) => each.split(' '))
      .flatMap(([method = '', each]) => (each === known ? [method] : []));
    return methods.length === 0
      ? json(404, { error: `there is no ${pathname}; see ${prefix}/` })
      : json(405, { error: `${pathname} takes ${methods.join(', ')} only` });
  }
  const result = route.run({ query, id, body: () => parseBody(request) });
  return result === null ? json(404, { error: `there is no ${id}` }) : json(200, result);
}

function parseBody(request: EmulatorRequest): unknown {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(request.body));
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
