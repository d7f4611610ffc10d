/**
 * The type of a part of launches, which is one thing that can stop them, and what the parts share to make their verdicts.
 * `parts.ts` lists all parts; `judge-launch.ts` and `judge-group.ts` ask them. Pure.
 */
import type { Resource } from '../launch.ts';
import type { Option } from '../options.ts';
import type { RegionFacts } from '../region-facts.ts';
import type { Quota } from '../../quota.ts';
import type { Texts, Value } from '../../texts/texts.ts';

/** A part: judgement, metrics, page, JSON, `check` and documents all read it from here. */
export interface LaunchPart<Reason extends string = string> {
  readonly name: string;
  /** The operation whose answer says how many instances it holds. */
  readonly operation: string;
  /** Whether each launch has it: page and verdict then count those for which nothing asks for it. */
  readonly isOfEach?: boolean;
  /** What it holds and when it applies, for the documents. */
  readonly holds: string;
  /** The reasons for which it blocks. */
  readonly reasons: Readonly<Record<Reason, ReasonWords>>;
  /**
   * How it counts for a scaling group, which holds the sum of its zones. `opens-zone`: a zone where it stops every instance
   * type holds none. `bounds-zone`: it bounds each zone. `bounds-group`, the default: it bounds all zones together.
   */
  readonly inGroup?: 'opens-zone' | 'bounds-zone' | 'bounds-group';
  /** `null` if the part does not apply to the option. */
  judge(option: Option, facts: RegionFacts): PartVerdict<Reason> | null;
  /**
   * Names the part and how much it holds, or why it blocks, such as `subnet-bthucmmy: 12 addresses`. Called only while it
   * is known.
   *
   * @param room `roomFor`, or a text in its place, such as `at least 3`
   */
  text(verdict: PartVerdict<Reason>, option: Option, room: Value, texts: Texts): string;
}

/** A reason in the words of documents and metrics. */
interface ReasonWords {
  /** Ends the sentence `it is a warning …`. Absent: it is always critical. */
  readonly warning?: string;
  /** What to do about it. */
  readonly remedy: string;
  /** The codes with which the service refuses a launch for it. One that ends in `*` stands for all that begin so. */
  readonly codes: readonly string[];
}

/** What a part says about an option. */
export interface PartVerdict<Reason extends string = string> {
  /** `false` if an answer or a field that the judgement needs is missing, stale or unreadable. */
  readonly isKnown: boolean;
  /** How many instances the part holds. `null` if it sets no bound, or is unknown. */
  readonly roomFor: number | null;
  /**
   * The most that all zones of a scaling group hold together, `Infinity` for no bound; of several zones, the highest counts.
   * Absent where it is unknown, and for a part without such a bound.
   */
  readonly atOnce?: number;
  /** Why the part blocks the launch; `null` if it does not. */
  readonly reason: Reason | null;
  readonly severity: 'critical' | 'warning';
  /** `true`: the reason only warns, and stops no launch. */
  readonly isHarmless?: true;
  /** Whether it lets the launch succeed, but has nearly nothing left. Absent: no, or unknown. */
  readonly isTight?: boolean;
  /** What the text of the part adds to the room. Empty if nothing. */
  readonly detail: string;
  /** When the service last priced what is launched, such as `2026-02-03T14:05Z`. Absent without a price. */
  readonly pricedAt?: string;
  /** The names of what other launches of the region may share: a quota, subnets, a placement group. Empty: none, or unknown. */
  readonly shares: readonly string[];
  /** `false`: for lack of a permission, nothing asks for what it needs. It sets no bound. Absent: it is asked. */
  readonly isAsked?: false;
}

/** A part that is unknown. */
export const unknown: PartVerdict<never> = {
  ...{ isKnown: false, roomFor: null, reason: null, severity: 'critical' },
  ...{ detail: '', shares: [] },
};

/** A part that is known and sets no bound. */
export const free: PartVerdict<never> = { ...unknown, isKnown: true };

/** A part whose operation the credentials are not allowed. */
export const notAsked: PartVerdict<never> = { ...free, isAsked: false };

/**
 * A part that holds so many instances: it blocks for the reason if the launch starts more.
 *
 * @param holds `null` while it is unknown
 */
export function bounded<Reason extends string>(
  holds: number | null,
  reason: Reason,
  { count }: Pick<Option, 'count'>,
): PartVerdict<Reason> {
  // An unreadable count is at least 1: only a part that holds none is known to block.
  if (holds === null || (count === null && holds > 0)) return unknown;
  return { ...free, roomFor: holds, reason: holds < (count ?? 1) ? reason : null };
}

/**
 * A part whose room several resources hold, of which the one with the most or the least counts. The part is known, also while
 * a resource is unknown, if that could not change whether it blocks: of the most, one with enough room proves that it does
 * not; of the least, one with too little that it does.
 *
 * @param ids of the resources, `null` while they are unknown; without any, the part does not apply
 * @param roomIn how many instances a resource holds; `null` while it is unknown
 */
export function boundedByOne<Reason extends string>(
  which: 'most' | 'least',
  ids: readonly string[] | null,
  roomIn: (id: string) => number | null,
  reason: Reason,
  option: Pick<Option, 'count'>,
): PartVerdict<Reason> | null {
  if (ids?.length === 0) return null;
  const known = (ids ?? []).flatMap((id) => {
    const room = roomIn(id);
    return room === null ? [] : [{ id, room }];
  });
  known.sort((a, b) => (which === 'most' ? b.room - a.room : a.room - b.room));
  const [best] = known;
  if (best === undefined) return unknown;
  const verdict = bounded(best.room, reason, option);
  const isProof = which === 'most' ? verdict.reason === null : verdict.reason !== null;
  const isCertain = verdict.isKnown && (isProof || known.length === ids?.length);
  return isCertain ? { ...verdict, shares: [best.id] } : unknown;
}

/**
 * What remains of the quota of a subnet or a placement group: 0 if it is gone or overdrawn, `null` while it is unknown.
 *
 * @param label the label of the quota that has the ID, such as `subnet_id`
 */
export function remainingOf(
  resource: (Resource & { readonly isCurrent: boolean }) | undefined,
  label: string,
  quotas: readonly Quota[],
): number | null {
  if (resource?.isCurrent !== true) return null;
  if (resource.isGone) return 0;
  const quota = quotas.find(({ labels }) => labels?.[label] === resource.id);
  const remaining = quota?.remaining ?? null;
  return resource.isKnown && remaining !== null ? Math.max(0, remaining) : null;
}
