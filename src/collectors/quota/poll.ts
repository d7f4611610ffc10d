import type { ServiceCall } from '../../api/call.ts';
import type { PollAnswer, PollContext } from '../../model/poll-outcome.ts';
import { cvm } from '../services.ts';
import { readQuotas } from './answer.ts';
import type { QuotaSnapshot } from './record.ts';
import { quotaFilters } from './request.ts';
import type { QuotaTarget } from './target.ts';

/** Asks for the quotas of a region in one call. */
export function pollQuotas(
  call: ServiceCall,
  { operation, region, selection }: QuotaTarget,
  context: PollContext,
): Promise<PollAnswer<QuotaSnapshot>> {
  const request = { ...cvm, action: operation, region, parameters: quotaFilters(selection) };
  return call(request, (response) => readQuotas(response, selection), context);
}
