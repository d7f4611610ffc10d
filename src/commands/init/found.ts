/** What a new configuration watches: the regions and launch templates that the credentials find. */
import { silentObserver } from '../../api/observer.ts';
import { collectors } from '../../collectors/collectors.ts';
import type { LaunchTemplateListSnapshot } from '../../collectors/launch-template-list/answer.ts';
import { launchTemplateListTarget } from '../../collectors/launch-template-list/launch-template-list.ts';
import type { RegionListSnapshot } from '../../collectors/region-list/answer.ts';
import { regionListTarget } from '../../collectors/region-list/region-list.ts';
import type { Config } from '../../config/config.ts';
import { readBuildInfo, userAgentOf } from '../../daemon/build-info.ts';
import { Clients } from '../../daemon/clients.ts';
import type { Surroundings } from '../../daemon/surroundings.ts';
import { credentialsAdvice } from '../../expose/credentials-advice.ts';
import { CodedError } from '../../model/coded-error.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Target } from '../../model/target.ts';
import { suggestion } from '../../validation/nearest.ts';
import { print, UsageError } from '../command.ts';
import { jsonText, neededPolicy } from '../print-policy.ts';
import type { Answers } from './config-text.ts';

/** `all`, or names with commas. */
interface Wanted {
  readonly region: string;
  readonly templates: string;
}

interface Tools {
  readonly surroundings: Surroundings;
  /** Shows what was found. */
  readonly note: (text: string) => void;
}

/**
 * Asks the service for the regions and templates.
 *
 * @param config has one account
 * @throws UsageError when a name is none that exists, or the service refuses to list what is needed. If the policy of
 *   the key does not allow it, the policy that it needs is printed before
 */
export async function findWatched(
  wanted: Wanted,
  config: Config,
  { note, surroundings }: Tools,
): Promise<Answers['regions']> {
  const clients = new Clients(config, {
    ...surroundings,
    collectors,
    observer: silentObserver,
    userAgent: userAgentOf(readBuildInfo(surroundings.env)),
  });
  const ask: Ask = async (target) => {
    const { signal } = new AbortController();
    return (await clients.poll(target, { signal, deadlineMs: Infinity })).snapshot;
  };
  const account = config.accounts[0]?.name ?? '';
  try {
    const regions = await findRegions(wanted, account, ask);
    note(foundText('region', regions));
    const found = await findTemplates(wanted, account, { regions, ask });
    note(foundText('launch template', [...found.values()].flat()));
    if (wanted.region === 'all') return null;
    const ids = namesOf(wanted.templates);
    const watched = (region: string) =>
      wanted.templates === 'all'
        ? 'all'
        : (found.get(region) ?? []).filter((id) => ids.includes(id));
    return new Map(regions.map((name) => [name, watched(name)]));
  } finally {
    clients.close();
  }
}

type Ask = (target: Target) => Promise<Snapshot>;

async function findRegions(wanted: Wanted, account: string, ask: Ask): Promise<readonly string[]> {
  const names = namesOf(wanted.region);
  let known: readonly string[];
  try {
    const snapshot = await ask(regionListTarget(account));
    known = isRegionList(snapshot) ? snapshot.regions : [];
  } catch (error) {
    // A policy with the least privileges does not allow this list if the regions are named.
    if (isDenied(error) && wanted.region !== 'all') return names;
    throw listingError('the regions cannot be listed', error, wanted);
  }
  if (wanted.region === 'all') return known;
  refuseUnknown('--region', names, { known, problem: 'the service lists no such region' });
  return names;
}

/** The IDs of the templates of each region. */
async function findTemplates(
  wanted: Wanted,
  account: string,
  { ask, regions }: { readonly ask: Ask; readonly regions: readonly string[] },
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (wanted.region === 'all' && wanted.templates !== 'all') {
    throw new UsageError(
      '--launch-template: with every region, watch all: a template ID belongs to one region',
    );
  }
  const found = await Promise.all(
    regions.map(async (region): Promise<[string, readonly string[]]> => {
      const every = { names: null, tags: {} };
      try {
        const target = launchTemplateListTarget({ account, region }, every, maxTemplates);
        const snapshot = await ask(target);
        return [region, isTemplateList(snapshot) ? snapshot.templates.map(({ id }) => id) : []];
      } catch (error) {
        // A region without the operation has no templates.
        if (error instanceof CodedError && error.code === 'UnsupportedRegion') return [region, []];
        throw listingError(`the launch templates of ${region} cannot be listed`, error, wanted);
      }
    }),
  );
  if (wanted.templates !== 'all') {
    const known = found.flatMap(([, ids]) => ids);
    const problem = 'no region that is watched has this template';
    refuseUnknown('--launch-template', namesOf(wanted.templates), { known, problem });
  }
  return new Map(found);
}

const maxTemplates = 10_000;

function isRegionList(snapshot: Snapshot): snapshot is RegionListSnapshot {
  return snapshot.kind === 'region-list';
}

function isTemplateList(snapshot: Snapshot): snapshot is LaunchTemplateListSnapshot {
  return snapshot.kind === 'launch-template-list';
}

function isDenied(error: unknown): boolean {
  return error instanceof CodedError && error.code.startsWith('UnauthorizedOperation');
}

/** An error that says what to do. */
function listingError(what: string, error: unknown, { region }: Wanted): UsageError {
  if (!(error instanceof CodedError)) throw error;
  const reason = `${what}: ${error.code}: ${error.message.replace(/\.$/, '')}`;
  if (isDenied(error)) {
    const parts = { allRegions: region === 'all', allTemplates: true, launches: true };
    print(jsonText(neededPolicy(parts)));
    return new UsageError(`${reason}; attach the policy above to the key or role, and try again`);
  }
  const advice = credentialsAdvice(error);
  return new UsageError(
    advice === null || advice === error.message ? reason : `${reason}; ${advice}`,
  );
}

function refuseUnknown(
  flag: string,
  names: readonly string[],
  { known, problem }: { readonly known: readonly string[]; readonly problem: string },
): void {
  const strange = names.find((name) => !known.includes(name));
  if (names.length > 0 && strange === undefined) return;
  const hint = suggestion(strange, known);
  throw new UsageError(`${flag}: ${strange ?? ''}: ${problem}${hint}`);
}

/** Each name once. */
function namesOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))];
}

/** Maximum number of names in a line. */
const maxNames = 5;

function foundText(noun: string, names: readonly string[]): string {
  const rest = names.length > maxNames ? `, and ${names.length - maxNames} more` : '';
  const list = names.length === 0 ? '' : `: ${names.slice(0, maxNames).join(', ')}${rest}`;
  return `found ${names.length} ${noun}${names.length === 1 ? '' : 's'}${list}`;
}
