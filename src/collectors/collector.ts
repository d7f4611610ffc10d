/**
 * The contract of a collector: the code of one kind of target. A collector defines the requests of a poll. It
 * reads, compares, stores and shows answers. The rest of the program works with any collector and knows no
 * kind.
 */
import type { z } from 'zod';
import type { ServiceCall } from '../api/call.ts';
import type { Service } from '../api/request.ts';
import type { Change, Difference } from '../model/change.ts';
import type { Family, RecordView } from '../model/metric-family.ts';
import type { PollAnswer, PollContext } from '../model/poll-outcome.ts';
import type { Quota } from '../model/quota.ts';
import type { LimitHistory } from '../model/limit-history.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Target } from '../model/target.ts';
import type { Discovery, RegionDiscovery } from './discovery.ts';
import { guard } from './guard.ts';
import type { KindTable } from './kind-table.ts';
import { parseOnce } from './parse-once.ts';
import type { QuotaReport, QuotaSources, ReportableQuotas } from './quota-report.ts';

/** The configuration of one region of an account, for a collector. */
export interface RegionSettings<Account, Region> {
  /** The configured name. */
  readonly account: string;
  readonly region: string;
  /** The values of the collector's own keys. */
  readonly accountKeys: Account;
  readonly regionKeys: Region;
}

/** The changes of a comparison, and the record that counts them. Its snapshot is the new one. */
export interface Comparison<R extends TargetRecord = TargetRecord> {
  readonly record: R;
  readonly differences: readonly Difference[];
}

/** The text of a change, such as `default version changed from 5 to 8`. It does not name the target. */
export type ChangeTexts = Readonly<Record<string, (change: Change) => string>>;

/** A mistake in a region of the configuration, and its place. */
export interface RegionProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * Keys of the configuration's accounts and regions, for one kind of target. They are parsed once with the
 * file, and again before `plan`. So each output must be a valid input: convert a text such as a duration in
 * `plan`, and check it with `refine`.
 */
export interface CollectorConfiguration<
  AccountKeys extends z.ZodObject = z.ZodObject,
  RegionKeys extends z.ZodObject = z.ZodObject,
> {
  readonly account: AccountKeys;
  readonly region: RegionKeys;
  /** The keys that can apply to every region of an account. Valid values of `region`, which is the default. */
  readonly everyRegion?: z.ZodObject;
  /** A phrase for the error about an account without targets: the reason why it has none of this kind. */
  readonly nothing: string;
}

interface CollectorFacts {
  /** The kind of target, such as `launch-template`. It is the value of filters. */
  readonly kind: string;
  /** The operation of the targets of this kind. No two collectors share one. */
  readonly operation: string;
  /** The service that has the operation. */
  readonly service: Service;
  /** The name of a target without a resource, and the label of the filter: `quotas`. */
  readonly noun: string;
  /** The labels of a target's resource, such as `template_id`. Empty for a kind without a resource. */
  readonly resourceLabels: readonly string[];
  readonly configuration: CollectorConfiguration;
  /** The actions that an access policy must allow, such as `name/cvm:DescribeAccountQuota`. */
  readonly actions: readonly string[];
  /** Every kind of change that `compare` can return. */
  readonly changeTexts: ChangeTexts;
}

/**
 * The definition of a kind of target. `T`, `S` and `R` are the target, snapshot and record of this kind.
 */
export interface CollectorDefinition<
  T extends Target,
  S extends Snapshot,
  R extends TargetRecord,
  AccountKeys extends z.ZodObject = z.ZodObject,
  RegionKeys extends z.ZodObject = z.ZodObject,
> extends CollectorFacts {
  readonly configuration: CollectorConfiguration<AccountKeys, RegionKeys>;
  /** Mistakes of a region as a whole. Each key of the kind is valid by itself. */
  readonly regionProblems?: (
    name: string,
    regionKeys: z.output<RegionKeys>,
  ) => readonly RegionProblem[];
  readonly isTarget: (target: Target) => target is T;
  readonly isSnapshot: (snapshot: Snapshot) => snapshot is S;
  readonly isRecord: (record: TargetRecord) => record is R;
  /** The targets of a region of an account. */
  readonly plan: (
    settings: RegionSettings<z.output<AccountKeys>, z.output<RegionKeys>>,
  ) => readonly T[];
  /**
   * Text beside the name of a target in lists, such as `zones ap-guangzhou-3`. Empty without text.
   */
  readonly details: (target: T) => string;
  /** Polls the service in one or more calls. Rejects with a CodedError. */
  readonly poll: (call: ServiceCall, target: T, context: PollContext) => Promise<PollAnswer<S>>;
  /** Absent for a kind that finds no targets. */
  readonly discovery?: Discovery<R>;
  /** Only for the kind that finds regions. */
  readonly regionDiscovery?: RegionDiscovery<T, R>;
  /**
   * Whether a cycle polls the target. It does not if the answer that found the target shows that its snapshot
   * is still true. A target that no other one found is polled after each start in any case. Absent for a kind
   * that each cycle polls.
   *
   * @param record has the target as it was found last
   */
  readonly needsPoll?: (record: R, nowMs: number) => boolean;
  /** The record of a target that was never polled: no snapshot, counters at 0. */
  readonly newRecord: (target: T) => R;
  /** Continues a record for a target with the same key and perhaps another selection. */
  readonly continueRecord: (record: R, target: T) => R;
  /**
   * The same record with its changes counted from 0. Used if the counters of a target were shown from 0 before
   * its stored record was found. A counter that jumps would look like new changes.
   */
  readonly countFromZero: (record: R) => R;
  /**
   * The record without all parts that must not be compared with the answer of another account. Counters keep
   * their values.
   */
  readonly forget: (record: R) => R;
  /**
   * Compares a snapshot with the record. Pure. The first snapshot is a baseline, without changes. The first
   * snapshot of another account is a baseline too, because the record no longer has the data of the previous
   * account.
   *
   * @param nowMs end of the poll, in milliseconds since the Unix epoch
   */
  readonly compare: (record: R, snapshot: S, nowMs: number) => Comparison<R>;
  /** The schema of a stored record. */
  readonly stored: z.ZodType<R>;
  /** The metrics of this kind only. */
  readonly families: readonly Family<R>[];
  /** Absent for a kind that reports no quotas. */
  readonly quotaReport?: QuotaReport<T, R>;
  /**
   * The parts of a target that no answer has contained, according to the record: `zone ap-guangzhou-3`. Absent
   * for a kind with targets that have no parts.
   */
  readonly neverAnswered?: (record: R, target: T) => readonly string[];
  /** The snapshot in the JSON API. Keys are in snake_case. */
  readonly json: (snapshot: S) => object;
  /** A table for data that the tables of quotas and targets do not show. */
  readonly table?: KindTable<R>;
}

/** A collector in the form that the program uses. It accepts only objects of its kind. */
export interface Collector extends CollectorFacts {
  /** Empty when a key of the kind is invalid by itself. */
  readonly regionProblems: (name: string, regionKeys: unknown) => readonly RegionProblem[];
  readonly plan: (settings: RegionSettings<object, object>) => readonly Target[];
  readonly details: (target: Target) => string;
  readonly poll: (call: ServiceCall, target: Target, context: PollContext) => Promise<PollAnswer>;
  /** `null` for a kind that finds no targets. */
  readonly discovery: Discovery | null;
  /** `null` for a kind that finds no regions. */
  readonly regionDiscovery: RegionDiscovery | null;
  readonly needsPoll: (record: TargetRecord, nowMs: number) => boolean;
  readonly newRecord: (target: Target) => TargetRecord;
  readonly continueRecord: (record: TargetRecord, target: Target) => TargetRecord;
  readonly countFromZero: (record: TargetRecord) => TargetRecord;
  readonly compare: (record: TargetRecord, snapshot: Snapshot, nowMs: number) => Comparison;
  readonly stored: z.ZodType<TargetRecord>;
  readonly families: readonly Family[];
  /** `null` for a kind that reports no quotas. */
  readonly quotaSources: QuotaSources | null;
  readonly quotas: (record: TargetRecord) => readonly Quota[];
  readonly reportableQuotas: (target: Target) => readonly ReportableQuotas[];
  readonly limits: (record: TargetRecord) => readonly LimitHistory[];
  readonly quotaNote: (quota: Quota) => string;
  readonly neverAnswered: (record: TargetRecord, target: Target) => readonly string[];
  readonly json: (snapshot: Snapshot) => object;
  readonly table: KindTable | null;
}

/**
 * Creates a collector from a definition. The type predicates of the definition guard every function, so that
 * a snapshot of one kind is never used with a record of another kind.
 *
 * @throws Error from the functions of the result, when they get another kind; this is a bug of the program
 */
export function defineCollector<
  T extends Target,
  S extends Snapshot,
  R extends TargetRecord,
  AccountKeys extends z.ZodObject,
  RegionKeys extends z.ZodObject,
>(definition: CollectorDefinition<T, S, R, AccountKeys, RegionKeys>): Collector {
  const { kind, configuration, discovery, regionDiscovery } = definition;
  const { families, needsPoll, quotaReport, neverAnswered, table } = definition;
  const asTarget = guard(kind, definition.isTarget);
  const asSnapshot = guard(kind, definition.isSnapshot);
  const asRecord = guard(kind, definition.isRecord);
  const asAccountKeys = parseOnce(configuration.account);
  const asRegionKeys = parseOnce(configuration.region);
  const asView = ({ record, ...state }: RecordView): RecordView<R> => ({
    ...state,
    record: asRecord(record),
  });
  return {
    kind,
    operation: definition.operation,
    service: definition.service,
    noun: definition.noun,
    resourceLabels: definition.resourceLabels,
    configuration,
    actions: definition.actions,
    changeTexts: definition.changeTexts,
    stored: definition.stored,
    regionProblems: (name, regionKeys) => {
      const keys = configuration.region.safeParse(regionKeys);
      return keys.success ? (definition.regionProblems?.(name, keys.data) ?? []) : [];
    },
    plan: ({ accountKeys, regionKeys, ...place }) =>
      definition.plan({
        ...place,
        accountKeys: asAccountKeys(accountKeys),
        regionKeys: asRegionKeys(regionKeys),
      }),
    details: (target) => definition.details(asTarget(target)),
    poll: (call, target, context) => definition.poll(call, asTarget(target), context),
    discovery:
      discovery === undefined
        ? null
        : { ...discovery, finds: (record) => discovery.finds(asRecord(record)) },
    regionDiscovery:
      regionDiscovery === undefined
        ? null
        : { ...regionDiscovery, regions: (record) => regionDiscovery.regions(asRecord(record)) },
    needsPoll: (record, nowMs) => needsPoll?.(asRecord(record), nowMs) ?? true,
    newRecord: (target) => definition.newRecord(asTarget(target)),
    countFromZero: (record) => definition.countFromZero(asRecord(record)),
    continueRecord: (record, target) =>
      definition.continueRecord(asRecord(record), asTarget(target)),
    compare: (record, snapshot, nowMs) => {
      const appId = snapshot.appId ?? record.appId;
      const isOtherAccount = record.appId !== null && record.appId !== appId;
      const own = asRecord(record);
      const before = isOtherAccount ? { ...definition.forget(own), trend: undefined } : own;
      const compared = definition.compare(before, asSnapshot(snapshot), nowMs);
      return { ...compared, record: { ...compared.record, appId } };
    },
    families: families.map((family) => ({
      ...family,
      samples: (view) => family.samples(asView(view)),
    })),
    quotaSources: quotaReport?.sources ?? null,
    quotas: (record) => quotaReport?.quotas(asRecord(record)) ?? [],
    reportableQuotas: (target) => quotaReport?.reportable(asTarget(target)) ?? [],
    limits: (record) => quotaReport?.limits(asRecord(record)) ?? [],
    quotaNote: (quota) => quotaReport?.note(quota) ?? '',
    neverAnswered: (record, target) => neverAnswered?.(asRecord(record), asTarget(target)) ?? [],
    json: (snapshot) => definition.json(asSnapshot(snapshot)),
    table:
      table === undefined ? null : { ...table, cells: (record) => table.cells(asRecord(record)) },
  };
}
