/** What a new configuration watches: the regions and launch templates that one poll found. */
import { collectors } from '../../collectors/collectors.ts';
import { isTemplateList } from '../../collectors/launch-template-list/launch-template-list.ts';
import { isQuotas } from '../../collectors/quota/quota.ts';
import { credentialsAdvice } from '../../expose/credentials-advice.ts';
import type { Freshness, TargetRecord } from '../../model/record.ts';
import { suggestion } from '../../validation/nearest.ts';
import { knownRegions } from '../check-config.ts';
import { refuseUnknown } from '../check.ts';
import { note, print, UsageError } from '../command.ts';
import { jsonText, neededPolicy } from '../print-policy.ts';
import type { Answers } from './config-text.ts';

/**
 * Says what was found, and narrows the regions of the answers to the templates that are wanted.
 *
 * @param records of a poll of everything that the answers name
 * @param templates IDs, or `null` for all
 * @throws UsageError when a name is none that exists, or the service refuses to list what is needed. If the policy of
 *   the key does not allow it, the policy that it needs is printed before
 */
export function watchedRegions(
  { regions }: Answers,
  records: readonly TargetRecord[],
  templates: readonly string[] | null,
): Answers['regions'] {
  for (const { seen } of records.filter(findsRegions)) {
    refuseFailure('the regions', seen.freshness.failure, regions === null);
  }
  const found = new Map<string, readonly string[]>();
  for (const { seen, target } of records.filter(isTemplateList)) {
    const what = `the launch templates of ${target.region}`;
    refuseFailure(what, seen.freshness.failure, regions === null);
    found.set(target.region, seen.snapshot?.templates.map(({ id }) => id) ?? []);
  }
  const ids = [...found.values()].flat();
  const names = records.filter((each) => !findsRegions(each)).map(({ target }) => target.region);
  for (const name of regions?.keys() ?? []) refuseUnknownRegion(name, records);
  refuseUnknown('--launch-template', templates ?? [], ids);
  note(foundText('region', [...new Set(names)]));
  note(foundText('launch template', ids));
  if (regions === null || templates === null) return regions;
  const wanted = (region: string) => found.get(region)?.filter((id) => templates.includes(id));
  return new Map([...regions.keys()].map((region) => [region, wanted(region) ?? []]));
}

function findsRegions({ target }: TargetRecord): boolean {
  return collectors.of(target).regionDiscovery !== null;
}

/** Targets of launches answer without a request while no launch is known, so they say nothing of a region. */
function refuseUnknownRegion(name: string, records: readonly TargetRecord[]): void {
  const own = records.filter(
    (each) => each.target.region === name && (isQuotas(each) || isTemplateList(each)),
  );
  if (own.some(({ seen }) => seen.freshness.failure?.code !== unsupportedRegion)) return;
  throw new UsageError(
    `--region=${name}: the service has no such region${suggestion(name, knownRegions)}`,
  );
}

/** The code of a region that does not exist, and of one that lacks the operation. */
const unsupportedRegion = 'UnsupportedRegion';

/** @throws UsageError which says what to do. A region that lacks an operation has no templates */
function refuseFailure(what: string, failure: Freshness['failure'], allRegions: boolean): void {
  if (failure === null || failure.code === unsupportedRegion) return;
  const { code, message } = failure;
  const reason = `${what} cannot be listed: ${code}: ${message.replace(/\.$/, '')}`;
  if (code.startsWith('UnauthorizedOperation')) {
    print(jsonText(neededPolicy({ allRegions, allTemplates: true, launches: true })));
    throw new UsageError(`${reason}; attach the policy above to the key or role, and try again`);
  }
  const advice = credentialsAdvice(failure);
  throw new UsageError(advice === null || advice === message ? reason : `${reason}; ${advice}`);
}

/** Maximum number of names in a line. */
const maxNames = 5;

function foundText(noun: string, names: readonly string[]): string {
  const rest = names.length > maxNames ? `, and ${names.length - maxNames} more` : '';
  const list = names.length === 0 ? '' : `: ${names.slice(0, maxNames).join(', ')}${rest}`;
  return `found ${names.length} ${noun}${names.length === 1 ? '' : 's'}${list}`;
}
