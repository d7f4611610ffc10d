/**
 * Answers a decoded request for `service.ts`: finds its operation, authenticates it, counts it against the rate limit,
 * checks its permission and region, in this order, and lets the operation answer. An operation of the scope `public`
 * answers without authentication, rate limit, permission and region.
 */
import { authenticate } from '../authentication/authenticate.ts';
import type { PublicContext } from '../operations/operation.ts';
import { handlers } from '../operations/handlers.ts';
import type { DecodedRequest } from '../protocol/message.ts';
import { check, ServiceError, required } from '../protocol/service-error.ts';
import { allows } from '../scenario/policy.ts';
import { operationNames, operations } from '../scenario/vocabulary.ts';
import type { RequestLimiter } from './request-limiter.ts';
import { excerpt } from './request-log.ts';

/**
 * Answers one request.
 *
 * @returns the fields of `Response` without RequestId
 * @throws ServiceError the error that the client gets
 */
export function dispatch(request: DecodedRequest, limiter: RequestLimiter, context: PublicContext) {
  const { parameters } = request;
  const action = required(request.commonParameter('Action'), 'Action');
  const version = required(request.commonParameter('Version'), 'Version');
  const name = operationNames.find((existing) => existing === action);
  // A host such as cvm.tencentcloudapi.com has only the operations of its service. Another host, `null`, has all.
  if (name === undefined || ![null, operations[name].service].includes(request.service)) {
    const message = `The action \`${excerpt(action)}\` does not exist.`;
    throw new ServiceError('InvalidAction', message);
  }
  const { version: expected, service, perSecond } = operations[name];
  const handler = handlers[name];
  check(version === expected, 'NoSuchVersion', `The version of the API must be ${expected}.`);
  if (handler.scope === 'public') return handler.answer(parameters, context);
  const { account, key } = authenticate(request, service, context);
  const { requests_per_second: limits } = context.settings;
  const limit = typeof limits === 'number' ? limits : (limits[name] ?? perSecond);
  // The keys of all sessions of a role share one limit.
  const caller = key?.session?.role.name ?? key?.secret_id;
  const limitKey = [name, request.gateway, account.name, caller ?? ''].join(' ');
  limiter.countRequest(limitKey, limit, context.nowMs);
  // AssumeRole compares the policy with the role itself, and the others of STS need no permission.
  const policies = service === 'sts' ? [] : (key?.policies ?? []);
  const isDenied = policies.some((policy) => !allows(policy, `name/${service}:${name}`, ['*']));
  check(!isDenied && !account.denied_operations.includes(name), 'UnauthorizedOperation');
  const callerContext = { ...context, account, key };
  if (handler.scope === 'caller') return handler.answer(parameters, callerContext);
  const regionName = required(request.commonParameter('Region'), 'Region');
  const region = account.regions.find((candidate) => candidate.name === regionName);
  check(region !== undefined, 'UnsupportedRegion', 'The action not support this region.');
  return handler.answer(parameters, { ...callerContext, region });
}
