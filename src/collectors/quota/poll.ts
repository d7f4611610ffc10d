import { z } from 'zod';
import type { ServiceCall } from '../../api/retrying-call.ts';
import { readFields } from '../../api/response.ts';
import type { PollAnswer, PollContext } from '../../model/poll-outcome.ts';
import { readQuotas } from './answer.ts';
import type { QuotaSnapshot } from './record.ts';
import { quotaFilters } from './request.ts';
import { quotaOperation, type QuotaTarget } from './target.ts';

const accountSchema = z.object({ AppId: z.int().nonnegative() });

/** Asks for the account of the credentials, in one call. It reads nothing else of the answer. */
export function askAppId(call: ServiceCall, region: string, context: PollContext): Promise<number> {
  const request = { operation: quotaOperation, region, parameters: [] };
  return call(request, (response) => readFields(response, accountSchema).AppId, context);
}

/** Asks for the quotas of a region in one call. */
export function pollQuotas(
  call: ServiceCall,
  { operation, region, selection }: QuotaTarget,
  context: PollContext,
): Promise<PollAnswer<QuotaSnapshot>> {
  const request = { operation, region, parameters: quotaFilters(selection) };
  return call(request, (response) => readQuotas(response, selection), context);
}
