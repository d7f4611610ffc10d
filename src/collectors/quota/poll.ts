import type { Caller } from '../../api/caller.ts';
import type { PollAnswer, PollContext } from '../../model/poll-outcome.ts';
import { quotaFilters, readQuotas } from './answer.ts';
import type { QuotaSnapshot } from './record.ts';

import type { QuotaTarget } from './target.ts';

/** Asks for the quotas of a region: one call. */
export function pollQuotas(
  call: Caller,
  { operation, region, selection }: QuotaTarget,
  context: PollContext,
): Promise<PollAnswer<QuotaSnapshot>> {
  const request = { operation, region, parameters: quotaFilters(selection) };
  return call(request, (response) => readQuotas(response, selection), context);
}
