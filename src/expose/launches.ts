/** The launches that are watched, judged at one time, for metrics, page, JSON and terminal. */
import {
  judgeLaunch,
  type JudgedLaunch,
  type JudgedPart,
  type LaunchPlace,
} from '../model/launch.ts';
import { isReportable } from '../model/quota.ts';
import { isLaunchMuted, type Thresholds } from '../model/thresholds.ts';
import { compareWords, type Word } from './severity.ts';
import { counted, figure } from './text.ts';
import { byPlace, isUp, type Place, type Watched } from './watched.ts';

/**
 * `low`: it is blocked in a way that may pass, or its stock is nearly gone. `fine`: nothing stops it, as far as is
 * read. `none`: it is not judged.
 */
export type LaunchWord = Extract<Word, 'critical' | 'low' | 'unknown' | 'fine' | 'muted' | 'none'>;

/** What people call the words. */
export const launchStates: Readonly<Record<LaunchWord, string>> = {
  critical: 'blocked',
  low: 'at risk',
  unknown: 'unknown',
  fine: 'fine',
  muted: 'muted',
  none: 'not judged',
};

export type LaunchRow = Readonly<ReturnType<typeof rowOf>>;

interface FoundLaunch extends JudgedLaunch {
  /** Why it is not judged; `null` if it is. Such a launch has a template, a version, and nothing else. */
  readonly unjudged: string | null;
}

/**
 * Judges the launches of the regions whose stock is watched.
 *
 * @param thresholds without the overrides that have ended
 * @returns the worst first, those that are not judged last
 */
export function launchesOf(
  all: readonly Watched[],
  thresholds: Pick<Thresholds, 'overrides'>,
): readonly LaunchRow[] {
  return byPlace(all)
    .flatMap((place) => launchesIn(place, thresholds))
    .sort((a, b) => compareWords(a, b) || (a.headroom ?? Infinity) - (b.headroom ?? Infinity) || 0);
}

const notJudged = {
  unjudged: 'its template was not read for too long',
  ...{ zone: null, isZoneNamed: false, instanceType: null, chargeType: null, subnets: null },
  ...{ count: null, judgedZone: '', parts: [], headroom: null, stock: null, soldIn: [] },
};

/** None if no stock is watched there. A record that fails or is stale says nothing. */
function launchesIn(
  { account, region, targets }: Place,
  thresholds: Pick<Thresholds, 'overrides'>,
): readonly LaunchRow[] {
  const facts = targets.map((watched) => ({
    ...watched.collector.launchFacts(watched.record),
    watched,
    isPresent: isUp(watched),
  }));
  const found = facts.find(({ stock }) => stock !== undefined);
  if (found === undefined) return [];
  const reportable = targets.flatMap(({ collector, record }) =>
    collector.reportableQuotas(record.target),
  );
  const place: LaunchPlace = {
    account,
    region,
    stock: found.isPresent ? (found.stock ?? null) : null,
    subnets: new Map(
      facts.flatMap(({ isPresent, subnets = [] }) =>
        subnets.map(({ id, zone }) => [id, { zone, isPresent }] as const),
      ),
    ),
    asksQuota: (type, zone) => isReportable(reportable, { type, zone: zone || null }),
    quotas: facts.flatMap(({ isPresent, watched: { quotas, record } }) =>
      isPresent ? quotas.map(({ quota }) => ({ quota, seen: record.seen })) : [],
    ),
  };
  const launches = facts.flatMap(({ launches: some = [], watched }) =>
    some.map((launch): FoundLaunch => {
      const isRead = watched.isFresh || launch.templateId === '';
      return isRead && !('unjudged' in launch)
        ? { ...judgeLaunch(launch, place), unjudged: null }
        : { ...notJudged, account, region, ...launch };
    }),
  );
  const users = usersByNeed(launches);
  return launches.map((launch) => rowOf(launch, thresholds, users));
}

/** What a launch shares with others: a quota of a zone, or a subnet. */
function needsOf({ chargeType, judgedZone, parts }: JudgedLaunch): readonly string[] {
  return parts.flatMap(({ part, subnet }) =>
    part === 'quota' ? `${chargeType} ${judgedZone}` : (subnet ?? []),
  );
}

/** The templates that need the same. */
function usersByNeed(rows: readonly JudgedLaunch[]): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map<string, Set<string>>();
  for (const row of rows) {
    for (const need of row.templateId === '' ? [] : needsOf(row)) {
      users.set(need, (users.get(need) ?? new Set()).add(row.templateId));
    }
  }
  return users;
}

function rowOf(
  launch: FoundLaunch,
  thresholds: Pick<Thresholds, 'overrides'>,
  users: ReadonlyMap<string, ReadonlySet<string>>,
) {
  const blocking = launch.parts
    .filter(({ reason }) => reason !== null)
    .toSorted((a, b) => Number(b.severity === 'critical') - Number(a.severity === 'critical'));
  const times = blocking.flatMap(({ sinceMs }) => sinceMs ?? []);
  const sharing = new Set(needsOf(launch).flatMap((need) => [...(users.get(need) ?? [])]));
  sharing.delete(launch.templateId);
  return {
    ...launch,
    word: wordOf(launch, blocking, isLaunchMuted(thresholds, launch)),
    /** The reasons why it is blocked, the worst first. */
    blocking,
    /** Since when it is blocked, in milliseconds since the Unix epoch, as far as that is known. */
    sinceMs: times.length === 0 ? null : Math.min(...times),
    /** How many other templates share its quota, or its subnet. */
    sharing: sharing.size,
  };
}

function wordOf(
  { parts, stock, unjudged }: FoundLaunch,
  [worst]: readonly JudgedPart[],
  isMuted: boolean,
): LaunchWord {
  if (unjudged !== null) return 'none';
  if (isMuted) return 'muted';
  if (worst !== undefined) return worst.severity === 'critical' ? 'critical' : 'low';
  if (parts.some(({ isKnown }) => !isKnown)) return 'unknown';
  return stock?.level === 1 ? 'low' : 'fine';
}

/** What a part says, such as `subnet-bthucmmy: 12 addresses`. */
export function partText(
  { holds, isKnown, part, reason, subnet }: JudgedPart,
  { chargeType, count, instanceType, stock }: JudgedLaunch,
): string {
  if (!isKnown) return `${part}: unknown`;
  if (part === 'stock') {
    const level = [null, 'nearly gone', 'normal', 'enough'][stock?.level ?? -1] ?? 'sells';
    if (reason === null) return `stock: ${level}`;
    return reason === 'sold-out' ? 'sold out' : 'not offered, or out of stock and hidden';
  }
  const isShort = holds !== null && holds < (count ?? 1);
  const needed = isShort && holds > 0 ? `, ${figure(count)} needed` : '';
  const room = figure(holds);
  if (part === 'subnet') {
    return `${subnet ?? 'subnet'}: ${room} ${holds === 1 ? 'address' : 'addresses'}${needed}`;
  }
  const what =
    reason === null || isShort
      ? `${room} of ${instanceType ?? 'the type'}${needed}`
      : `${figure(count)} at once are more than one purchase may take`;
  return `${chargeType ?? ''} quota: ${what}`;
}

/** What the worst launch is, and what binds it. */
export function launchText(row: LaunchRow): string {
  const { account, chargeType, instanceType, judgedZone, region, templateId, templateName } = row;
  const named = templateName === '' ? templateId : `${templateId} (${templateName})`;
  const name = templateId === '' ? (instanceType ?? '') : named;
  return `${name} ${chargeType ?? ''} in ${judgedZone || region} of ${account}: ${bindingText(row)}`;
}

/** What binds: each reason, else what is unknown, else the part with the least room. */
function bindingParts({ blocking, headroom, parts }: LaunchRow): readonly JudgedPart[] {
  if (blocking.length > 0) return blocking;
  return parts.filter(({ holds, isKnown }) => !isKnown || (holds !== null && holds === headroom));
}

function bindingText(row: LaunchRow): string {
  const texts = bindingParts(row).map((part) => partText(part, row));
  if (texts.length === 0) texts.push('nothing that is read');
  if (row.parts.every(({ part }) => part !== 'quota')) texts.push('its quota is not asked for');
  return texts.join('; ');
}

/** What binds, the stock, where else the type sells, such as `sells in ap-guangzhou-4, -6`, and who shares it. */
export function bindingTexts(row: LaunchRow): readonly string[] {
  const { judgedZone, parts, region, sharing, soldIn, unjudged } = row;
  if (unjudged !== null) return [unjudged];
  const binding = bindingParts(row);
  const stock = parts.filter((each) => each.part === 'stock' && !binding.includes(each));
  const elsewhere = soldIn.filter((zone) => zone !== judgedZone).join(', ');
  return [
    bindingText(row),
    ...stock.map((part) => partText(part, row)),
    elsewhere === '' ? '' : `sells in ${elsewhere.replaceAll(`, ${region}-`, ', -')}`,
    sharing === 0 ? '' : `shared with ${counted(sharing, 'other template')}`,
  ];
}
