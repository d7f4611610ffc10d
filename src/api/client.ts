/** The client of the service: one poll of a target becomes a snapshot. */
import { setMaxListeners } from 'node:events';
import type { PollAnswer, PollContext } from '../model/poll-outcome.ts';
import type { LaunchTemplateTarget, QuotaTarget, Target } from '../model/target.ts';
import { quotaFilters, readQuotas } from './account-quota.ts';
import { createCaller, type Caller } from './caller.ts';
import {
  readVersionPage,
  summarizeVersions,
  versionParameters,
} from './launch-template-versions.ts';
import type { ClientOptions } from './options.ts';
import { ServiceClock } from './service-clock.ts';
import { readVersionList } from './version-paging.ts';

export interface Client {
  /**
   * Asks the service about a target of the client's account.
   *
   * @throws CodedError with the service's code or one of ours
   * @throws the signal's reason, whatever it is, when the signal aborts
   */
  poll(target: Target, context: PollContext): Promise<PollAnswer>;
  /** How far the machine's clock is ahead of the service's; `null` before an answer told. */
  clockSkewMs(): number | null;
}

/**
 * The client of one account. It starts nothing until the first poll.
 *
 * @param current gives what is configured; asked at each request, so that it may change
 */
export function createClient(current: () => ClientOptions): Client {
  const serviceClock = new ServiceClock();
  const call = createCaller(current, serviceClock);
  return {
    clockSkewMs: () => serviceClock.skewMs,
    poll: async (target, context) => {
      // Every poll of a cycle listens to the same signal, which is no leak.
      setMaxListeners(0, context.signal);
      try {
        return target.operation === 'DescribeAccountQuota'
          ? await pollQuotas(call, target, context)
          : await pollLaunchTemplate(call, target, context);
      } catch (error) {
        context.signal.throwIfAborted();
        throw error;
      }
    },
  };
}

function pollQuotas(call: Caller, target: QuotaTarget, context: PollContext): Promise<PollAnswer> {
  const { operation, region, selection } = target;
  const request = { operation, region, parameters: quotaFilters(selection) };
  return call(request, (response) => readQuotas(response, selection), context);
}

async function pollLaunchTemplate(
  call: Caller,
  target: LaunchTemplateTarget,
  context: PollContext,
): Promise<PollAnswer> {
  const { operation, region, templateId } = target;
  const list = await readVersionList((offset) => {
    const parameters = versionParameters(templateId, offset);
    return call({ operation, region, parameters }, readVersionPage, context);
  });
  return summarizeVersions(list);
}
