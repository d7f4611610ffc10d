/** What a check asks about: launches of targets, or given ones, each for a number of instances. Pure. */
import type { TargetFacts } from './judge-region.ts';
import type { Launch, UnjudgedLaunch } from './launch.ts';

/** What a check asks about: would so many instances of it start? */
export interface AskedSource {
  /** What the check calls it, such as `lt-b8v1kcyq@3:40`. */
  readonly name: string;
  /** Empty if the configuration has no account for it. */
  readonly account: string;
  readonly region: string;
  /** Of a template: its ID and its version. `null`: the default one. Otherwise the launch itself. */
  readonly launch: Launch | UnjudgedLaunch | TemplateVersion;
  readonly count: number;
}

interface TemplateVersion {
  readonly template: string;
  readonly version: number | null;
}

/** The versions of a template that sources ask about, each once. */
export function versionsAsked(
  sources: readonly AskedSource[],
  template: string,
): readonly (number | null)[] {
  return [
    ...new Set(
      sources.flatMap(({ launch }) =>
        'template' in launch && launch.template === template ? [launch.version] : [],
      ),
    ),
  ];
}

/**
 * The facts of a region with the launches of the sources in place of those of its targets. Those that name a zone come
 * first: they have no choice.
 */
export function askedFacts(
  sources: readonly AskedSource[],
  targets: readonly TargetFacts[],
): readonly TargetFacts[] {
  const watched = targets.map(({ launches: _, ...target }) => target);
  const nothing = { stock: null, quotas: [], reportable: [], blockedSince: {} };
  const asked = sources.map(({ count, launch, name: source }) => {
    const target = 'template' in launch ? targetOf(launch.template, targets) : undefined;
    const isUp = target?.isUp ?? true;
    const found =
      'template' in launch
        ? target?.launches?.[versionsAsked(sources, launch.template).indexOf(launch.version)]
        : launch;
    if (found === undefined) return { ...nothing, isUp, launches: [{ ...unread, source }] };
    const counted = 'unjudged' in found ? found : { ...found, count };
    return { ...nothing, isUp, launches: [{ ...counted, source }] };
  });
  const hasChoice = ({ launches: [launch] }: (typeof asked)[number]) =>
    launch !== undefined && !('unjudged' in launch) && launch.zone === '';
  return [...watched, ...asked.toSorted((a, b) => Number(hasChoice(a)) - Number(hasChoice(b)))];
}

const unread: UnjudgedLaunch = {
  ...{ templateId: '', groupId: '', templateName: '', version: null },
  unjudged: 'its template could not be read',
};

function targetOf(template: string, targets: readonly TargetFacts[]): TargetFacts | undefined {
  return targets.find(({ launches = [] }) =>
    launches.some(({ templateId }) => templateId === template),
  );
}
