/** Processes a request: finds its operation, authenticates it, counts it, and lets the operation answer. */
import { allows } from '../access/policy.ts';
import { authenticate, type AuthenticationContext } from '../authentication/authenticate.ts';
import type { DecodedRequest } from '../protocol/decode.ts';
import { serviceOperation } from '../protocol/operation-names.ts';
import { ServiceError, required } from '../protocol/service-error.ts';
import type { Account } from '../resources/accounts.ts';
import type { Behaviour } from '../scenario/behaviour.ts';
import { operations, versionOf } from './operations.ts';
import type { RateLimit } from './rate-limit.ts';
import { excerpt } from './request-log.ts';

interface AnswerContext extends AuthenticationContext {
  readonly accounts: readonly Account[];
  readonly rateLimit: RateLimit;
  /** For each operation and account. */
  readonly requestsPerSecond: number;
  readonly behaviour: Behaviour;
}

/**
 * Answers a request.
 *
 * @returns the fields of `Response` without RequestId
 * @throws ServiceError
 */
export function answerRequest(
  request: DecodedRequest,
  context: AnswerContext,
): Readonly<Record<string, unknown>> {
  const action = required(request.action, 'Action');
  const version = required(request.version, 'Version');
  const name = serviceOperation(action);
  if (name === null) {
    throw new ServiceError('InvalidAction', `The action \`${excerpt(action)}\` does not exist.`);
  }
  const operation = operations[name];
  if (version !== versionOf(operation)) {
    throw new ServiceError(
      'NoSuchVersion',
      `The version of the API must be ${versionOf(operation)}.`,
    );
  }
  const { parameters } = request;
  if (operation.on === 'token') return operation.answer(parameters, context);
  const { behaviour, nowMs, rateLimit, requestsPerSecond: perSecond } = context;
  const caller = authenticate(request, context.accounts, context);
  const { account, key } = caller;
  rateLimit.admit({ account: account.name, operation: name, nowMs, perSecond });
  if (account.deniedOperations.has(name)) throw new ServiceError('UnauthorizedOperation');
  if (operation.on === 'identity') {
    return operation.answer(parameters, { ...context, caller });
  }
  const policy = key?.policy ?? null;
  if (policy !== null && !allows(policy, `name/cvm:${action}`, ['*'])) {
    throw new ServiceError('UnauthorizedOperation');
  }
  if (operation.on === 'account') return operation.answer(parameters, { account, behaviour });
  const region = account.regions.get(required(request.region, 'Region'));
  if (region === undefined) throw new ServiceError('UnsupportedRegion');
  return operation.answer(parameters, { account, region, behaviour });
}
