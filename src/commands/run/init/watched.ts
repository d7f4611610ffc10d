/** What a new configuration watches: regions and launch templates that the credentials find. */
import { credentialsAdvice } from '../../../expose/credentials-problems.ts';
import { CodedError } from '../../../model/coded-error.ts';
import { nearest } from '../../../validation/nearest.ts';
import { UsageError } from '../usage-error.ts';
import type { Answers, FoundTemplate, WatchedTemplates } from './config-text.ts';
import type { InitFlags } from './flags.ts';
import type { Judge, Questions } from './questions.ts';
import type { Service } from './service.ts';

type Watched = Pick<Answers, 'regions' | 'everyTemplate'>;
/** By region. */
type Found = ReadonlyMap<string, readonly FoundTemplate[]>;

/**
 * @param note shows what could not be found, but is not needed
 * @throws UsageError when a flag names nothing that exists, or the service refuses to list what is needed
 */
export async function chooseWatched(
  flags: InitFlags,
  service: Service,
  questions: Questions | null,
  note: (text: string) => void,
): Promise<Watched> {
  const regions = await chooseRegions(flags, { service, questions, note });
  const { launchTemplate } = flags;
  if (launchTemplate === undefined && questions === null) return watching(regions, 'none');
  if (launchTemplate?.length === 1 && launchTemplate[0] === 'none')
    return watching(regions, 'none');
  const found = await findTemplates(regions.names, service, launchTemplate === undefined && note);
  if (launchTemplate !== undefined) {
    const wanted = wantedOf(launchTemplate.join(','));
    const problem = judgeTemplates(found, regions.isEvery)(launchTemplate.join(','));
    if (problem !== null) throw new UsageError(`--launch-template: ${problem}`);
    return watching(regions, wanted, found);
  }
  const count = [...found.values()].flat().length;
  if (questions === null || count === 0) {
    note('no launch template was found');
    return watching(regions, 'none');
  }
  questions.show('Launch templates:');
  for (const line of templateLines(found)) questions.show(`  ${line}`);
  const judge = judgeTemplates(found, regions.isEvery);
  const ids = regions.isEvery ? '' : ', or IDs with commas';
  const answer = await questions.ask(`Watch which: all, none${ids}`, judge, 'all');
  return watching(regions, wantedOf(answer), found);
}

interface Regions {
  readonly isEvery: boolean;
  readonly names: readonly string[];
}

interface Asked {
  readonly service: Service;
  readonly questions: Questions | null;
  readonly note: (text: string) => void;
}

async function chooseRegions(
  { region }: InitFlags,
  { service, questions, note }: Asked,
): Promise<Regions> {
  let known: readonly string[];
  try {
    known = await service.regions();
  } catch (error) {
    const failure = listingError('the regions cannot be listed', error);
    const isAllNamed = region !== undefined && !region.includes('all');
    if (!isAllNamed || !isDenied(error)) throw failure;
    // A policy with the least privileges does not allow this list if the regions are named.
    note(failure.message);
    return regionsOf(region.join(','), []);
  }
  const judge = judgeNames(known, 'the service lists no such region');
  if (region !== undefined) {
    const problem = judge(region.join(','));
    if (problem !== null) throw new UsageError(`--region: ${problem}`);
    return regionsOf(region.join(','), known);
  }
  questions?.show(`Regions: ${known.join(', ')}`);
  const answer = await questions?.ask('Watch which: all, or names with commas', judge, 'all');
  return regionsOf(answer ?? 'all', known);
}

function regionsOf(answer: string, known: readonly string[]): Regions {
  return answer === 'all'
    ? { isEvery: true, names: known }
    : { isEvery: false, names: namesOf(answer) };
}

/** @param note shows a failure; `false` throws it */
async function findTemplates(
  regions: readonly string[],
  service: Service,
  note: ((text: string) => void) | false,
): Promise<Found> {
  const found = await Promise.all(
    regions.map(async (region): Promise<[string, readonly FoundTemplate[]]> => {
      try {
        return [region, await service.templates(region)];
      } catch (error) {
        // A region without the operation has no templates.
        if (error instanceof CodedError && error.code === 'UnsupportedRegion') return [region, []];
        const failure = listingError(`the launch templates of ${region} cannot be listed`, error);
        if (note === false) throw failure;
        note(failure.message);
        return [region, []];
      }
    }),
  );
  return new Map(found);
}

function isDenied(error: unknown): boolean {
  return error instanceof CodedError && error.code.startsWith('UnauthorizedOperation');
}

/** An error that says what to do. */
function listingError(what: string, error: unknown): UsageError {
  if (!(error instanceof CodedError)) throw error;
  const advice = credentialsAdvice(error);
  const action = advice === null || advice === error.message ? '' : `; ${advice}`;
  const reason = error.message.replace(/\.$/, '');
  return new UsageError(`${what}: ${error.code}: ${reason}${action}`);
}

function judgeTemplates(found: Found, isEveryRegion: boolean): Judge {
  const ids = [...found.values()].flat().map(({ id }) => id);
  const judge = judgeNames(ids, 'no region that is watched has this template');
  return (answer) => {
    if (answer === 'none') return null;
    return isEveryRegion && answer !== 'all'
      ? 'with every region, watch all or none: a template ID belongs to one region'
      : judge(answer);
  };
}

/** Accepts `all`, or names that are known. */
function judgeNames(known: readonly string[], unknown: string): Judge {
  return (answer) => {
    const names = namesOf(answer);
    const strange = names.find((name) => !known.includes(name));
    if (answer === 'all' || (names.length > 0 && strange === undefined)) return null;
    const similar = nearest(strange ?? '', known);
    return `${strange ?? ''}: ${unknown}${similar === null ? '' : `; did you mean ${similar}?`}`;
  };
}

/** Each name once. */
function namesOf(answer: string): string[] {
  return [...new Set(answer.split(/[\s,]+/).filter((name) => name !== ''))];
}

function wantedOf(answer: string): 'all' | 'none' | readonly string[] {
  return answer === 'all' || answer === 'none' ? answer : namesOf(answer);
}

function watching(
  { isEvery, names }: Regions,
  wanted: 'all' | 'none' | readonly string[],
  found: Found = new Map(),
): Watched {
  if (isEvery) return { regions: null, everyTemplate: wanted === 'all' };
  const templatesOf = (region: string): WatchedTemplates => {
    if (wanted === 'all') return 'all';
    const templates = found.get(region) ?? [];
    return wanted === 'none' ? [] : templates.filter(({ id }) => wanted.includes(id));
  };
  return { regions: new Map(names.map((name) => [name, templatesOf(name)])), everyTemplate: false };
}

/** Maximum number of templates that are listed for a region. */
const maxListed = 20;

function templateLines(found: Found): string[] {
  return [...found].flatMap(([region, templates]) => [
    ...templates.slice(0, maxListed).map(({ id, name }) => `${region}  ${id}  ${name}`.trimEnd()),
    ...(templates.length > maxListed ? [`${region}  … ${templates.length - maxListed} more`] : []),
  ]);
}
