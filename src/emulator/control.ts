/**
 * The control API under `/_emulator/`: it controls the emulator over HTTP while it runs. Requests and answers are
 * JSON. Bad input gets 400 with the reason. Pages of other sites, and hosts that a site could have chosen, get 403.
 * `emulator.ts` passes its requests here, before the service sees them.
 */
import { isIP } from 'node:net';
import { z } from 'zod';
import { headerOf, replyOf, type EmulatorReply, type EmulatorRequest } from './protocol/message.ts';
import { durationText } from '../validation/duration.ts';
import { faultSchema } from './scenario/fault.ts';
import { InvalidInputError, validate } from './scenario/validate.ts';
import type { Service } from './service/service.ts';

const prefix = '/_emulator';

/**
 * Carries out a request of the route. Returns the JSON of the answer.
 *
 * @param body reads the body of the request; throws InvalidInputError when it is not JSON
 */
type Route = (body: () => unknown) => object;

/** The routes by method and path. */
function routesOf(service: Service): Readonly<Record<string, Route>> {
  const { faults, requests } = service;
  const elapsed = () => ({ elapsed_seconds: service.elapsedMs / 1000 });
  const routes: Readonly<Record<string, Route>> = {
    'GET /': () => ({
      routes: Object.keys(routes).map((route) => route.replace(' ', ` ${prefix}`)),
    }),
    'GET /state': () => service.scenario(),
    'POST /state': (body) => ({ applied: service.do(body()) }),
    'GET /changes': () => ({ changes: service.state.changes.list() }),
    'POST /time': (body) => {
      service.advance(validate(advanceSchema, body(), 'body').advance);
      return elapsed();
    },
    'POST /reset': () => {
      service.reset();
      return elapsed();
    },
    'GET /faults': () => ({ faults: faults.list() }),
    'POST /faults': (body) => ({ faults: faults.add(validate(faultSchema, body(), 'fault')) }),
    'DELETE /faults': () => ({ cleared: faults.clear() }),
    'GET /requests': () => ({ total: requests.total, requests: requests.list() }),
    'DELETE /requests': () => ({ cleared: requests.clear() }),
  };
  return routes;
}

const advanceSchema = z.strictObject({ advance: durationText() });

/**
 * Creates the handler of the requests for paths at and below `/_emulator`. It returns `null` for all others, which are for
 * the service.
 *
 * @param listenHost the name that the emulator listens on; it may have a dot. Empty without a network.
 */
export function createControlApi(service: Service, listenHost: string) {
  const routes = routesOf(service);
  return (request: EmulatorRequest): EmulatorReply | null => {
    const { target } = request;
    if (!/^\/_emulator(?:[/?]|$)/.test(target)) return null;
    const reason = refusalReason(request, listenHost);
    if (reason !== null) return jsonReply(403, { error: reason });
    const { pathname } = new URL(target, 'http://emulator');
    const route = routes[`${request.method} ${pathname.slice(prefix.length) || '/'}`];
    const error = `there is no ${request.method} ${pathname}; see ${prefix}/`;
    if (route === undefined) return jsonReply(404, { error });
    try {
      const answer = route(() => parseBody(request));
      return jsonReply(200, answer);
    } catch (thrown) {
      if (thrown instanceof InvalidInputError) return jsonReply(400, { error: thrown.message });
      throw thrown;
    }
  };
}

/**
 * Why a request may not control the emulator. `null` when it may. A page of another site can make a browser send
 * requests to this machine, and can give its own name the address of this machine. A name without a dot belongs to no
 * site.
 */
function refusalReason(request: EmulatorRequest, listenHost: string): string | null {
  const site = headerOf(request, 'sec-fetch-site') ?? 'none';
  const host = headerOf(request, 'host');
  if (headerOf(request, 'origin') !== null || !['none', 'same-origin'].includes(site)) {
    return 'the control API takes no orders from pages of browsers';
  }
  if (host === null) return null;
  const name = host.replace(/:\d+$/, '').toLowerCase();
  // An IPv6 address stands in brackets.
  const isLocalName = name === listenHost.toLowerCase() || !name.includes('.');
  return isLocalName || isIP(name.replaceAll(/[[\]]/g, '')) > 0
    ? null
    : 'the control API answers only localhost, addresses, and names without a dot';
}

/** @throws InvalidInputError when the body is not JSON */
function parseBody(request: EmulatorRequest): unknown {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(request.body));
    return parsed;
  } catch {
    throw new InvalidInputError('body', [{ path: [], message: 'it is not JSON' }]);
  }
}

function jsonReply(status: number, value: unknown): EmulatorReply {
  return replyOf(`${JSON.stringify(value, null, 2)}\n`, { status });
}
