/**
 * The set of all collectors: finds the collector of a target, and gives names and texts that need all of them. Poller,
 * storage and outputs get the one set of `collectors.ts`.
 */
import { moreChangesKind, type Change } from '../model/change.ts';
import { quotaChangeTexts } from '../model/quota-history.ts';
import type { TargetFacts } from '../model/launches/region-facts.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import type { Texts } from '../model/texts/texts.ts';
import type { Collector, RegionDiscovery } from './collector.ts';

/**
 * Whether the credentials lack the permission for the operation of a target, while others of its account are answered.
 *
 * @param answered by {@link CollectorSet.answeredAccounts}
 */
export function isDenied(
  { observed, target }: TargetRecord,
  answered: ReadonlySet<string>,
): boolean {
  const { failure } = observed.freshness;
  return failure?.code.startsWith('UnauthorizedOperation') === true && answered.has(target.account);
}

/** The collectors of a program, in the order in which they plan. No two have the same operation. */
export class CollectorSet {
  readonly all: readonly Collector[];
  readonly #byOperation: ReadonlyMap<string, Collector>;
  /** `null` for every resource label. */
  readonly #noResource: Readonly<Record<string, null>>;

  /** What people call the types of quotas, such as `spot vCPUs`. The configuration can name these types. */
  readonly quotaNames: ReadonlyMap<string, string>;
  /** The discovery of regions. `null` if no collector has one. */
  readonly regionDiscovery: RegionDiscovery | null;

  constructor(all: readonly Collector[]) {
    this.all = all;
    this.regionDiscovery =
      all.find((collector) => collector.regionDiscovery)?.regionDiscovery ?? null;
    this.#byOperation = new Map(all.map((collector) => [collector.operation, collector]));
    this.quotaNames = new Map(all.flatMap(({ quotaNames }) => Object.entries(quotaNames)));
    this.#noResource = Object.fromEntries(
      all.flatMap(({ resourceLabels }) => resourceLabels.map((label) => [label, null])),
    );
  }

  /** The collector of a target, or of a change of a target. @throws Error without one: a bug */
  of({ operation }: Pick<Target, 'operation'>): Collector {
    const collector = this.#byOperation.get(operation);
    if (collector === undefined) throw new Error(`no collector has the operation ${operation}`);
    return collector;
  }

  /** Whether a collector has the operation. The stored record of a removed kind has no collector. */
  has({ operation }: Pick<Target, 'operation'>): boolean {
    return this.#byOperation.has(operation);
  }

  /** The accounts of which the last poll of a target succeeded with a request, of the targets that each cycle polls. */
  answeredAccounts(records: readonly TargetRecord[]): ReadonlySet<string> {
    const answered = new Set<string>();
    for (const record of records) {
      const { observed, target } = record;
      const { failure, lastPoll } = observed.freshness;
      if (failure !== null || lastPoll === null || answered.has(target.account)) continue;
      const collector = this.of(target);
      // A success of a target that not each cycle polls may be old, such as a price of this hour.
      if (collector.asksNothing(target) || !collector.needsPoll(record, lastPoll.atMs)) continue;
      answered.add(target.account);
    }
    return answered;
  }

  /**
   * What a record says about the launches of its region.
   *
   * @param isRecent whether the last success is not stale. Plans pass `true`: they also count what was found long ago
   * @param isDenied by {@link isDenied}
   */
  launchFacts(record: TargetRecord, isRecent: boolean, isDenied = false): TargetFacts {
    const { durable, observed, target } = record;
    const collector = this.of(target);
    return {
      ...collector.launchFacts(record),
      isUp: isRecent && observed.freshness.failure === null,
      // A kind that only finds launches is no part of them: without its permission, no launch is known at all.
      notPermitted: isDenied && collector.isLaunchPart ? target.operation : null,
      quotas: collector.quotas(record),
      reportable: collector.reportableQuotas(target),
      blockedSince: durable.blockedSince,
    };
  }

  /**
   * The name of a target without its account and region: its resource, such as a template ID. Without a
   * resource, it is the noun of its kind.
   */
  nameOf(target: Pick<Target, 'operation' | 'resource'>): string {
    return Object.values(target.resource ?? {}).join(' ') || this.of(target).noun;
  }

  /** A value for the resource labels of every kind: `null` for those that the target does not have. */
  resourceOf({ resource }: Pick<Target, 'resource'>): Readonly<Record<string, string | null>> {
    return { ...this.#noResource, ...resource };
  }

  /** The name of a type of quotas for people, or the type itself if it has no name. */
  quotaName(type: string): string {
    return this.quotaNames.get(type) ?? type;
  }

  /** All kinds of changes that a record or a feed can have, each once. */
  get changeKinds(): readonly string[] {
    const textsByKind = [quotaChangeTexts, ...this.all.map(({ changeTexts }) => changeTexts)];
    return [...new Set([...textsByKind.flatMap((texts) => Object.keys(texts)), moreChangesKind])];
  }

  /** The change as a clause, such as `default version changed from 5 to 8`. It does not name the target. */
  changeText(change: Change, { say, word }: Texts): string {
    const { kind, quotaType: type, zone } = change;
    // The values of a change in a zone are numbers, codes, or words of the program. Others may be names that people
    // gave, which are not translated.
    const valueOf = (value: Change['from']) =>
      value === null ? say('none') : zone === null ? String(value) : word(String(value));
    const [from, to] = [valueOf(change.from), valueOf(change.to)];
    if (kind === moreChangesKind) return word('{to} more changes', { to });
    // A stored record may hold any kind of change, also a name that every object inherits, such as `constructor`.
    const texts = new Map(Object.entries({ ...quotaChangeTexts, ...this.of(change).changeTexts }));
    const text = texts.get(kind);
    if (text === undefined) return kind;
    return `${word(text, { from, to, type })}${zone === null ? '' : say(' in {zone}', { zone })}`;
  }
}
