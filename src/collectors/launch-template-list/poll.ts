import type { ServiceCall } from '../../api/call.ts';
import type { PollAnswer, PollContext } from '../../model/poll-outcome.ts';
import { cvm } from '../services.ts';
import { readListPage, summarizeList } from './answer.ts';
import { readTemplateList } from './paging.ts';
import type { LaunchTemplateListSnapshot } from './record.ts';
import { listParameters } from './request.ts';
import type { LaunchTemplateListTarget } from './target.ts';

/** Reads the templates of a region, with one call for each 100 of them if nothing has changed. */
export async function pollLaunchTemplateList(
  call: ServiceCall,
  target: LaunchTemplateListTarget,
  context: PollContext,
): Promise<PollAnswer<LaunchTemplateListSnapshot>> {
  const { operation, region, selection } = target;
  const list = await readTemplateList(
    (offset) =>
      call(
        { ...cvm, action: operation, region, parameters: listParameters(selection, offset) },
        readListPage,
        context,
      ),
    (reading) =>
      context.isBaseline === false &&
      context.findsChange?.(summarizeList(reading, target).snapshot) === false,
  );
  return summarizeList(list, target);
}
