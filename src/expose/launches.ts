/** The launches that are watched, judged at one time, for metrics, page, JSON and terminal. */
import {
  judgeLaunch,
  type JudgedLaunch,
  type JudgedPart,
  type Launch,
  type LaunchPlace,
  type UnjudgedLaunch,
} from '../model/launch.ts';
import { isLaunchMuted, type Thresholds } from '../model/thresholds.ts';
import { figure } from './number-format.ts';
import { compareWords, type QuotaWord } from './severity.ts';
import { byPlace, isUp, type Watched } from './watched.ts';

/**
 * `low`: it is blocked in a way that may pass, or its stock is nearly gone. `fine`: nothing stops it, as far as is
 * read.
 */
export type LaunchWord = Extract<QuotaWord, 'critical' | 'low' | 'unknown' | 'fine' | 'muted'>;

/** What people call the words, the worst first. */
export const launchStates: Readonly<Record<LaunchWord, string>> = {
  critical: 'blocked',
  low: 'at risk',
  unknown: 'unknown',
  fine: 'fine',
  muted: 'muted',
};

export interface LaunchRow extends JudgedLaunch {
  readonly word: LaunchWord;
  /** The reasons why it is blocked, the worst first. */
  readonly blocking: readonly JudgedPart[];
  /** Since when it is blocked, in milliseconds since the Unix epoch, as far as that is known. */
  readonly sinceMs: number | null;
  /** How many other templates share its quota, or its subnet. */
  readonly sharing: number;
}

export interface UnjudgedRow extends UnjudgedLaunch {
  readonly account: string;
  readonly region: string;
}

export interface Launches {
  /** The worst first. */
  readonly judged: readonly LaunchRow[];
  readonly unjudged: readonly UnjudgedRow[];
}

/** The records of a region of an account. */
interface Place extends LaunchPlace {
  readonly launches: readonly (Launch | UnjudgedLaunch)[];
}

/**
 * Judges the launches of the regions whose stock is watched.
 *
 * @param thresholds without the overrides that have ended
 */
export function launchesOf(
  all: readonly Watched[],
  thresholds: Pick<Thresholds, 'overrides'>,
): Launches {
  const places = byPlace(all).flatMap((some) => placeOf(some) ?? []);
  const judged = places.flatMap((place) => {
    const rows = place.launches.flatMap((launch) =>
      'unjudged' in launch ? [] : [judgeLaunch(launch, place)],
    );
    const usersOf = usersByNeed(rows);
    return rows.map((row) => rowOf(row, thresholds, usersOf));
  });
  return {
    judged: judged.toSorted(compareLaunches),
    unjudged: places.flatMap(({ account, launches, region }) =>
      launches.flatMap((launch) => ('unjudged' in launch ? [{ ...launch, account, region }] : [])),
    ),
  };
}

/** `null` if no stock is watched there. A record that fails or is stale says nothing. */
function placeOf(all: readonly Watched[]): Place | null {
  const facts = all.map((watched) => ({
    ...watched.collector.launchFacts(watched.record),
    isPresent: isUp(watched),
    isFresh: watched.isFresh,
  }));
  const [first] = all;
  const stock = facts.find((each) => each.stock !== undefined);
  if (first === undefined || stock === undefined) return null;
  const { account, region } = first.record.target;
  const reportable = all.flatMap(({ collector, record }) =>
    collector.reportableQuotas(record.target),
  );
  return {
    account,
    region,
    stock: stock.isPresent ? (stock.stock ?? null) : null,
    subnets: new Map(
      facts.flatMap(({ isPresent, subnets = [] }) =>
        subnets.map(({ id, zone }) => [id, { zone, isPresent }] as const),
      ),
    ),
    asksQuota: (type, zone) =>
      reportable.some(
        (each) =>
          each.type === type && (each.zones === null || zone === '' || each.zones.includes(zone)),
      ),
    quotas: all.flatMap(({ collector, record }, i) =>
      facts[i]?.isPresent === true
        ? collector.quotas(record).map((quota) => ({ quota, seen: record.seen }))
        : [],
    ),
    launches: facts.flatMap(({ isFresh, launches = [] }) =>
      isFresh || launches.every((launch) => !('zone' in launch) || launch.templateId === '')
        ? launches
        : launches.map((launch) => ({
            ...launch,
            unjudged: 'its template was not read for too long',
          })),
    ),
  };
}

/** What launches share: a quota of a zone, or a subnet. */
function needsOf({ chargeType, judgedZone, parts }: JudgedLaunch): readonly string[] {
  const subnet = parts.find((each) => each.subnet !== null)?.subnet ?? null;
  const quota = parts.some(({ part }) => part === 'quota') ? [`${chargeType} ${judgedZone}`] : [];
  return subnet === null ? quota : [...quota, subnet];
}

function usersByNeed(rows: readonly JudgedLaunch[]): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map<string, Set<string>>();
  for (const row of rows) {
    for (const need of needsOf(row)) {
      const known = users.get(need) ?? new Set();
      if (row.templateId !== '') users.set(need, known.add(row.templateId));
    }
  }
  return users;
}

function rowOf(
  judged: JudgedLaunch,
  thresholds: Pick<Thresholds, 'overrides'>,
  users: ReadonlyMap<string, ReadonlySet<string>>,
): LaunchRow {
  const blocking = judged.parts
    .filter(({ reason }) => reason !== null)
    .toSorted((a, b) => Number(b.severity === 'critical') - Number(a.severity === 'critical'));
  const times = blocking.flatMap(({ sinceMs }) => sinceMs ?? []);
  const sharing = new Set(needsOf(judged).flatMap((need) => [...(users.get(need) ?? [])]));
  sharing.delete(judged.templateId);
  return {
    ...judged,
    word: wordOf(judged, blocking, isLaunchMuted(thresholds, judged)),
    blocking,
    sinceMs: times.length === 0 ? null : Math.min(...times),
    sharing: sharing.size,
  };
}

function wordOf(
  { parts, stock }: JudgedLaunch,
  [worst]: readonly JudgedPart[],
  isMuted: boolean,
): LaunchWord {
  if (isMuted) return 'muted';
  if (worst !== undefined) return worst.severity === 'critical' ? 'critical' : 'low';
  if (parts.some(({ isKnown }) => !isKnown)) return 'unknown';
  return stock?.level === 1 ? 'low' : 'fine';
}

function compareLaunches(a: LaunchRow, b: LaunchRow): number {
  return compareWords(a, b) || (a.headroom ?? Infinity) - (b.headroom ?? Infinity) || 0;
}

/** The template with its name, or the instance type of the configuration. */
function launchName({ instanceType, templateId, templateName }: Launch): string {
  if (templateId === '') return instanceType ?? '';
  return templateName === '' ? templateId : `${templateId} (${templateName})`;
}

/** What a part says, such as `subnet-bthucmmy: 12 addresses`. */
export function partText(
  { holds, isKnown, part, reason, subnet }: JudgedPart,
  { chargeType, count, instanceType }: Launch,
): string {
  if (!isKnown) return `${part}: unknown`;
  if (part === 'stock') {
    if (reason === null) return 'stock: sells';
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
  const { account, chargeType, judgedZone, region } = row;
  const where = judgedZone === '' ? region : judgedZone;
  return `${launchName(row)} ${chargeType ?? ''} in ${where} of ${account}: ${bindingText(row)}`;
}

/** What binds: each reason, else what is unknown, else the part with the least room. */
export function bindingText(row: LaunchRow): string {
  const { blocking, headroom, parts } = row;
  const binding =
    blocking.length > 0
      ? blocking
      : parts.filter(({ holds, isKnown }) => !isKnown || (holds !== null && holds === headroom));
  const texts = binding.map((part) => partText(part, row));
  if (texts.length === 0) texts.push('nothing that is read');
  const isQuotaAsked = parts.some(({ part }) => part === 'quota');
  return [...texts, ...(isQuotaAsked ? [] : ['its quota is not asked for'])].join('; ');
}

/** The stock in words; `null` if what binds names it. */
export function stockText({ blocking, parts, stock }: LaunchRow): string | null {
  const part = parts.find((each) => each.part === 'stock');
  if (part?.isKnown !== true) return blocking.length > 0 ? 'unknown' : null;
  if (part.reason !== null) return null;
  return [null, 'nearly gone', 'normal', 'enough'][stock?.level ?? -1] ?? 'sells';
}
