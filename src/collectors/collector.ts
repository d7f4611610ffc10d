/**
 * The contract of a collector: the code of one kind of target. A collector plans targets, and requests, reads, compares
 * and shows their answers. Poller, storage, metrics, JSON, page and terminal work with any collector. CONTRIBUTING.md,
 * "Add a kind of target", lists what names single kinds.
 */
import { z } from 'zod';
import type { Parameter, Service, Site } from '../api/request.ts';
import type { ServiceResponse } from '../api/response.ts';
import type { ComparisonRules } from '../model/advance.ts';
import type { Launch, LaunchFacts } from '../model/launches/launch.ts';
import type { TargetFacts } from '../model/launches/region-facts.ts';
import type { Family } from '../model/metric-family.ts';
import type { PollAnswer } from '../model/poll-outcome.ts';
import type { Quota, ReportableQuotas } from '../model/quota.ts';
import type { RecordSchema, SnapshotOf, TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import { memoizePerObject } from '../model/memoize.ts';

/** The services of the cloud that kinds ask. Host, signature and version of a request follow from its service. Default: cvm. */
const cvm: Service = { service: 'cvm', version: '2017-03-12' };
export const cbs: Service = { service: 'cbs', version: '2017-03-12' };
export const vpc: Service = { service: 'vpc', version: '2017-03-12' };
export const as: Service = { service: 'as', version: '2018-04-19' };

/**
 * Calls the operation of a kind in the region of the target, and returns what `read` returns.
 *
 * @param read throws CodedError `InvalidResponse`
 * @throws CodedError of the last attempt
 */
export type Ask = <T>(
  parameters: readonly Parameter[],
  read: (response: ServiceResponse) => T,
) => Promise<T>;

/**
 * Keys of the configuration's accounts and regions, for one kind of target. They are parsed once with the
 * file, and again before `plan`. So each output must be a valid input: convert a text such as a duration in
 * `plan`, and check it with `refine`.
 */
export interface CollectorConfiguration {
  readonly account: z.ZodObject;
  readonly region: z.ZodObject;
  /** The keys that can apply to every region of an account. Valid values of `region`, which is the default. */
  readonly discoveredRegions?: z.ZodObject;
  /** A phrase for the error about an account without targets: the reason why it has none of this kind. Default: none. */
  readonly emptyReason?: string;
}

/** What a check asks about in a region, beside what its configuration names. */
export interface AskedLaunches {
  readonly launches: readonly Launch[];
  /** By the ID of a template, the versions. `null`: the default one. */
  readonly versions: ReadonlyMap<string, readonly (number | null)[]>;
  /** The families of instance types that may take the place of others. */
  readonly families: readonly string[];
}

/** The configuration of one region of an account, for a collector. The keys of the kind are parsed. */
export interface RegionSettings<C extends CollectorConfiguration = CollectorConfiguration> {
  /** The target of the kind in the region. A kind adds what it asks for, and the resource if it has several. */
  readonly target: Target;
  readonly site: Site;
  readonly accountKeys: z.output<C['account']>;
  readonly regionKeys: z.output<C['region']>;
  /** Set by a check that asks about launches in the region. */
  readonly asked?: AskedLaunches | undefined;
}

/** A mistake in a region of the configuration. `path` is its place in the region. */
export type RegionProblem = Pick<z.core.$ZodIssue, 'path' | 'message'>;

/** How a kind finds the regions of an account. */
export interface RegionDiscovery<R extends TargetRecord = TargetRecord> {
  /** The target whose answers find the regions of an account. */
  target(account: string): R['target'];
  /** The names of the regions that are known to be available. */
  regions(record: R): readonly string[];
}

/**
 * The fields of the service that contain the numbers of quotas, such as `UsedQuota of DescribeAccountQuota`. The HELP texts
 * of the quota metrics name them.
 */
export type QuotaSources = Readonly<Record<'used' | 'remaining' | 'limit', string>>;

/** A table that lists the records of one kind, on the status page and in a terminal. */
export interface KindTable<R extends TargetRecord = TargetRecord> {
  /** The name of the page's section, and of its page number in the query string. */
  readonly id: string;
  readonly title: string;
  /** The title of the first column, with the name of each target. */
  readonly nameLabel: string;
  /** What people call the target of a record, before the name that all outputs have; `undefined` if nothing says it. */
  calledBy?(record: R): string | undefined;
  readonly columns: readonly { readonly label: string; readonly isNumber?: boolean }[];
  /**
   * The texts of each cell of a row, one list per column: the value, and what is smaller beside it. An empty list for an
   * unknown value.
   */
  cells(record: R): readonly (readonly string[])[];
}

/**
 * A kind of target. `R` is its record, with the target and the snapshot of the kind.
 *
 * A collector gets only records, targets and snapshots of its kind, but for `plan`: {@link CollectorSet.of} finds it by the
 * operation of the target. Functions are written as methods, so that a collector of any kind is a `Collector`.
 */
export interface Collector<
  R extends TargetRecord = TargetRecord,
  C extends CollectorConfiguration = CollectorConfiguration,
> extends ComparisonRules<R> {
  /** The kind of target, such as `launch-template`. It is the value of filters. */
  readonly kind: string;
  /** The operation of the targets of this kind. No two collectors share one. */
  readonly operation: string;
  /** The service that has the operation. Default: cvm. */
  readonly service: Service;
  /** The name of a target without a resource, and the label of the filter: `quotas`. */
  readonly noun: string;
  /**
   * The operations whose answers find the targets of this kind in their region. Its polls follow theirs. Empty for a
   * kind that no answer finds.
   */
  readonly follows: readonly string[];
  /**
   * Further operations that a cycle polls before this kind: their answers find no target, but may say what to ask of
   * it.
   */
  readonly waitsFor: readonly string[];
  /** The labels of a target's resource, such as `template_id`. Empty for a kind without a resource. */
  readonly resourceLabels: readonly string[];
  readonly configuration: C;
  /** The actions that an access policy must allow. Default: its operation, such as `name/cvm:DescribeAccountQuota`. */
  readonly actions: readonly string[];
  /**
   * Every kind of change that `compare` can return, with its text, such as `default version changed from {from} to {to}`.
   * The text does not name the target, and its zone is added. Those of quotas are the same for all kinds.
   */
  readonly changeTexts: Readonly<Record<string, string>>;
  /** Mistakes in a region that no key shows by itself, such as a zone of another region. `name`: of the region. */
  regionProblems(name: string, keys: z.output<C['region']>): readonly RegionProblem[];
  /**
   * Mistakes that only the keys of an account and of one of its regions show together. Their paths begin in the region.
   */
  accountProblems(
    accountKeys: z.output<C['account']>,
    regionKeys: z.output<C['region']>,
  ): readonly RegionProblem[];
  /**
   * The targets of a region of an account.
   *
   * @param records the records of the targets of the region whose kinds are before this one in `collectors.ts`. What they
   *   found is planned like what is configured. A target that was never polled has none
   * @param facts what each of `records` says about launches, in the same order
   */
  plan(
    settings: RegionSettings<C>,
    facts: readonly TargetFacts[],
    records: readonly TargetRecord[],
  ): readonly R['target'][];
  /**
   * Whether a target has nothing to ask. Its polls then send no request, so a success says nothing about the service. The
   * target is shown nowhere.
   */
  asksNothing(target: R['target']): boolean;
  /** Text beside the name of a target in lists, such as `zones ap-guangzhou-3`. Empty without text. */
  details(target: R['target']): string;
  /**
   * Polls the service in one or more calls. Rejects with a CodedError.
   *
   * @param record the target, and what is known of it when the poll begins, for questions that continue earlier ones. The
   *   answer may be compared with a later record
   */
  poll(ask: Ask, record: R, nowMs: number): Promise<PollAnswer<SnapshotOf<R>>>;
  /** How the kind finds the regions of an account. `null` for a kind that does not. */
  readonly regionDiscovery: RegionDiscovery<R> | null;
  /**
   * Whether a cycle polls the target. `false` if its snapshot is still good enough, because the answer that found the
   * target shows so, or because it is asked once an hour. Default: each cycle polls it. A target that no other one
   * found is polled after each start in any case.
   *
   * @param record has the target as it was planned last
   */
  needsPoll(record: R, nowMs: number): boolean;
  /** The schema of a stored record. The record of a target that was never polled has its defaults, such as counters of 0. */
  readonly stored: RecordSchema<R>;
  /** The metrics of this kind only. */
  readonly families: readonly Family<R>[];
  /** Where the numbers of its quotas come from, for HELP. `null` for a kind that reports no quotas. */
  readonly quotaSources: QuotaSources | null;
  /**
   * The quotas that a record reports, for the common metrics, the page, thresholds and `check`. Default: those of its
   * snapshot, which are also compared.
   */
  quotas(record: R): readonly Quota[];
  /** The quotas that a target asks for. A record keeps no others. */
  reportableQuotas(target: R['target']): readonly ReportableQuotas[];
  /** What a record says about launches: what would be started, and the stock and subnets that it needs. */
  launchFacts(record: R): LaunchFacts;
  /**
   * Whether launches are judged by the answers of the kind. A region with launches then keeps the target also if the
   * region does not offer the operation (else the part would be missing, and not unknown). Without the permission, the
   * part is "not asked".
   */
  readonly isLaunchPart: boolean;
  /** What people call the types of its quotas. A type without a name is shown by itself. */
  readonly quotaNames: Readonly<Record<string, string>>;
  /** A note about the numbers of a quota, such as `used this month`. Empty without a note. */
  quotaNote(quota: Quota): string;
  /** The snapshot in the JSON API. Keys are in snake_case. */
  json(snapshot: SnapshotOf<R>): object;
  /** A table for data that the tables of quotas and targets do not show. */
  readonly table: KindTable<R> | null;
}

/** The members that a kind may omit. `actions` follows from the operation. */
const defaults = {
  service: cvm,
  follows: [],
  waitsFor: [],
  resourceLabels: [],
  configuration: { account: z.object({}), region: z.object({}) },
  regionProblems: () => [],
  accountProblems: () => [],
  asksNothing: () => false,
  details: () => '',
  regionDiscovery: null,
  needsPoll: () => true,
  changeTexts: {},
  compare: () => ({}),
  families: [],
  quotaSources: null,
  quotas: ({ observed }: TargetRecord) => observed.snapshot?.quotas ?? [],
  reportableQuotas: () => [],
  launchFacts: () => ({}),
  isLaunchPart: false,
  quotaNames: {},
  quotaNote: () => '',
  table: null,
};

/**
 * Fills in defaults, and parses the keys of the configuration before the kind gets them.
 *
 * @param definition every member without a default, and those of which the default is wrong for the kind
 */
export function defineCollector<
  R extends TargetRecord,
  C extends CollectorConfiguration = CollectorConfiguration,
>(
  definition: Partial<Collector<R, C>> & Omit<Collector<R, C>, keyof typeof defaults | 'actions'>,
): Collector<R> {
  const { operation, service } = { ...defaults, ...definition };
  const actions = [`name/${service.service}:${operation}`];
  const collector: Collector<R> = { ...defaults, actions, ...definition };
  const { account, region } = collector.configuration;
  // A start plans all targets several times, with the same keys.
  const accountKeysOf = memoizePerObject((keys: object) => account.parse(keys));
  const regionKeysOf = memoizePerObject((keys: object) => region.parse(keys));
  return {
    ...collector,
    regionProblems: (name, keys) => {
      const parsed = region.safeParse(keys);
      return parsed.success ? collector.regionProblems(name, parsed.data) : [];
    },
    accountProblems: (accountKeys, regionKeys) =>
      collector.accountProblems(accountKeysOf(accountKeys), regionKeysOf(regionKeys)),
    plan: (settings, ...found) => {
      const accountKeys = accountKeysOf(settings.accountKeys);
      const regionKeys = regionKeysOf(settings.regionKeys);
      return collector.plan({ ...settings, accountKeys, regionKeys }, ...found);
    },
  };
}
