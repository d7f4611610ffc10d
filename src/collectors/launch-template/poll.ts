import type { ServiceCall } from '../../api/call.ts';
import type { PollAnswer, PollContext } from '../../model/poll-outcome.ts';
import { cvm } from '../services.ts';
import { readVersionPage, summarizeVersions } from './answer.ts';
import { readVersionList } from './paging.ts';
import type { LaunchTemplateSnapshot } from './record.ts';
import { versionParameters } from './request.ts';
import type { LaunchTemplateTarget } from './target.ts';

/** Reads all versions of a template, with one call for each 100 of them. */
export async function pollLaunchTemplate(
  call: ServiceCall,
  { operation, region, resource }: LaunchTemplateTarget,
  context: PollContext,
): Promise<PollAnswer<LaunchTemplateSnapshot>> {
  const list = await readVersionList((offset) => {
    const parameters = versionParameters(resource.template_id, offset);
    return call({ ...cvm, action: operation, region, parameters }, readVersionPage, context);
  });
  return summarizeVersions(list, null);
}
