/** The client of the service: one poll of a target becomes a snapshot. */
import { setMaxListeners } from 'node:events';
import type { PollAnswer, PollContext } from '../model/poll-outcome.ts';
import type { LaunchTemplateTarget, QuotaTarget, Target } from '../model/target.ts';
import { AccountIdentity, readAppId } from './account-identity.ts';
import { quotaFilters, readQuotas, type QuotaReading } from './account-quota.ts';
import { createCaller, type Caller } from './caller.ts';
import {
  readVersionPage,
  summarizeVersions,
  versionParameters,
} from './launch-template-versions.ts';
import type { ClientOptions } from './options.ts';
import { readVersionList, type VersionPage } from './version-paging.ts';

export interface Client {
  /**
   * Asks the service about a target of the client's account.
   *
   * @throws CodedError with the service's code or one of ours
   * @throws the signal's reason, whatever it is, when the signal aborts
   */
  poll(target: Target, context: PollContext): Promise<PollAnswer>;
}

/** The client of one account. It starts nothing until the first poll. */
export function createClient(options: ClientOptions): Client {
  const call = createCaller(options);
  const identity = new AccountIdentity(options.credentials);
  /** Whoever watches templates alone may not be allowed to ask for quotas. */
  let watchesQuotas = false;

  const appIdOf = async (secretId: string | null, region: string, context: PollContext) => {
    if (!watchesQuotas) return null;
    const request = { operation: 'DescribeAccountQuota' as const, region, parameters: [] };
    const appId = await identity.ask(secretId, () => call(request, readAppId, context));
    context.signal.throwIfAborted();
    return appId;
  };

  const pollQuotas = async (target: QuotaTarget, context: PollContext): Promise<PollAnswer> => {
    watchesQuotas = true;
    const { result, secretId } = await identity.during(() => readQuotasOf(call, target, context));
    identity.learn(secretId, result.snapshot.appId);
    return result;
  };

  const pollTemplate = async (
    target: LaunchTemplateTarget,
    context: PollContext,
  ): Promise<PollAnswer> => {
    const read = () => readVersionsOf(call, target, context);
    const { result: list, secretId } = await identity.during(read);
    const appId = identity.appIdOf(secretId);
    const answer = summarizeVersions(list, appId);
    // A change may be that of the account behind the name.
    if (appId !== null || context.findsChange?.(answer.snapshot) !== true) return answer;
    return summarizeVersions(list, await appIdOf(secretId, target.region, context));
  };

  return {
    poll: async (target, context) => {
      // Every poll of a cycle listens to the same signal, which is no leak.
      setMaxListeners(0, context.signal);
      try {
        return target.operation === 'DescribeAccountQuota'
          ? await pollQuotas(target, context)
          : await pollTemplate(target, context);
      } catch (error) {
        context.signal.throwIfAborted();
        throw error;
      }
    },
  };
}

function readQuotasOf(
  call: Caller,
  target: QuotaTarget,
  context: PollContext,
): Promise<QuotaReading> {
  const { operation, region, selection } = target;
  const request = { operation, region, parameters: quotaFilters(selection) };
  return call(request, (response) => readQuotas(response, selection), context);
}

function readVersionsOf(
  call: Caller,
  target: LaunchTemplateTarget,
  context: PollContext,
): Promise<VersionPage> {
  const { operation, region, templateId } = target;
  return readVersionList((offset) => {
    const parameters = versionParameters(templateId, offset);
    return call({ operation, region, parameters }, readVersionPage, context);
  });
}
