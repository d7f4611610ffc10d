/** Answers a decoded request: finds its operation, authenticates it, limiter it, and lets the operation answer. */
import { authenticate } from '../authentication/authenticate.ts';
import type { PublicContext } from '../operations/operation.ts';
import { operations } from '../operations/table.ts';
import type { DecodedRequest } from '../protocol/message.ts';
import { ServiceError, required } from '../protocol/service-error.ts';
import { allows } from '../scenario/policy.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { operationNames } from '../scenario/vocabulary.ts';
import type { RequestLimiter } from './request-limiter.ts';
import { excerpt } from './request-log.ts';

/**
 * @returns the fields of `Response` without RequestId
 * @throws ServiceError
 */
export function dispatch(
  request: DecodedRequest,
  { behaviour, site, requests_per_second: limits }: Scenario,
  limiter: RequestLimiter,
  present: Pick<PublicContext, 'state' | 'nowMs' | 'clientNowMs'>,
): Readonly<Record<string, unknown>> {
  const { parameters } = request;
  const action = required(request.commonParameter('Action'), 'Action');
  const version = required(request.commonParameter('Version'), 'Version');
  const name = operationNames.find((known) => known === action);
  const row = name === undefined ? undefined : operations[name];
  if (name === undefined || row === undefined || (request.service ?? row.service) !== row.service) {
    const message = `The action \`${excerpt(action)}\` does not exist.`;
    throw new ServiceError('InvalidAction', message);
  }
  if (version !== row.version) {
    const message = `The version of the API must be ${row.version}.`;
    throw new ServiceError('NoSuchVersion', message);
  }
  const context = { ...present, behaviour, site };
  if (row.needs === 'nothing') return row.answer(parameters, context);
  const { account, key } = authenticate(request, row.service, context);
  const limit = typeof limits === 'number' ? limits : (limits[name] ?? row.perSecond);
  const session = context.state.keys.get(key?.secret_id ?? '')?.session;
  const caller = session?.role.name ?? key?.secret_id;
  const counted = [name, request.gateway, account.name, caller ?? ''].join(' ');
  limiter.countRequest(counted, limit, context.nowMs);
  const policy = row.service === 'sts' ? undefined : key?.policy;
  const isDenied = policy !== undefined && !allows(policy, `name/${row.service}:${name}`, ['*']);
  if (isDenied || account.denied_operations.includes(name)) {
    throw new ServiceError('UnauthorizedOperation');
  }
  if (row.needs === 'caller') return row.answer(parameters, { ...context, account, key });
  const wanted = required(request.commonParameter('Region'), 'Region');
  const region = account.regions.find((each) => each.name === wanted);
  if (region === undefined) throw new ServiceError('UnsupportedRegion');
  return row.answer(parameters, { ...context, account, key, region });
}
