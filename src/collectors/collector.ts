/**
 * The contract of a collector: the code of one kind of target. A collector says what to ask, how to read,
 * compare and store an answer, and what to show of it. The rest of the program works with any collector
 * and knows no kind.
 */
import type { z } from 'zod';
import type { ServiceCall } from '../api/retrying-call.ts';
import type { Change, Difference } from '../model/change.ts';
import type { Family, RecordView } from '../model/metric-family.ts';
import type { PollAnswer, PollContext } from '../model/poll-outcome.ts';
import type { Quota } from '../model/quota.ts';
import type { LimitHistory } from '../model/limit-history.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Target } from '../model/target.ts';

/** The part of the configuration that one region of an account gives to a collector. */
export interface RegionSettings<Account, Region> {
  /** The configured name. */
  readonly account: string;
  readonly region: string;
  /** The values of the collector's own keys. */
  readonly accountKeys: Account;
  readonly regionKeys: Region;
}

/** What a comparison found, and the record that counts it. Its snapshot is the new one. */
export interface Comparison<R extends TargetRecord = TargetRecord> {
  readonly record: R;
  readonly differences: readonly Difference[];
}

/** A cell of a {@link KindTable}; `null` for what is not known. */
export type TableCell = { readonly text: string; readonly detail?: string } | null;

/** A table that lists the records of one kind, on the status page and in a terminal. */
export interface KindTable<R extends TargetRecord = TargetRecord> {
  /** The name of the page's section, and of its page number in the query string. */
  readonly id: string;
  readonly title: string;
  /** The title of the first column, which holds the name of each target. */
  readonly nameLabel: string;
  /** Shown in place of a table without rows. */
  readonly empty: string;
  readonly columns: readonly { readonly label: string; readonly isNumber?: boolean }[];
  /** One for each column. */
  readonly cells: (record: R) => readonly TableCell[];
}

/**
 * The fields of the service that hold the numbers of quotas. The HELP texts of the quota metrics name
 * them.
 */
export interface QuotaSources {
  /** Such as `UsedQuota of DescribeAccountQuota`. */
  readonly used: string;
  readonly remaining: string;
  readonly limit: string;
  /** The fields of `limit` alone. */
  readonly limitFields: string;
}

/** The quotas of a kind. The common metrics, the page, thresholds and `check` take them from here. */
export interface QuotaReport<R extends TargetRecord> {
  /** The quotas that a record reports. */
  readonly quotas: (record: R) => readonly Quota[];
  /** How often the limits changed, for each quota that exists as far as is known. */
  readonly limits: (record: R) => readonly LimitHistory[];
  /**
   * What the numbers of a quota do not say, such as `used this month`; empty where there is nothing to
   * add.
   */
  readonly note: (quota: Quota) => string;
  readonly sources: QuotaSources;
}

/** How a change of a kind reads, such as `default version changed from 5 to 8`; it does not say where. */
export type ChangeTexts = Readonly<Record<string, (change: Change) => string>>;

/** What is wrong with a region of the configuration, and where in it. */
export interface RegionProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Keys of the configuration's accounts and regions, for one kind of target. */
export interface CollectorConfiguration<
  AccountKeys extends z.ZodObject = z.ZodObject,
  RegionKeys extends z.ZodObject = z.ZodObject,
> {
  readonly account: AccountKeys;
  readonly region: RegionKeys;
  /** A phrase for the error of an account without any target: when it has none of this kind. */
  readonly nothing: string;
}

interface CollectorFacts {
  /** The kind of target, such as `launch-template`; the value of filters. */
  readonly kind: string;
  /** The operation that a target of this kind names. No two collectors share one. */
  readonly operation: string;
  /** What a target without a resource is called, and the label of the filter: `quotas`. */
  readonly noun: string;
  /** The labels that a target's resource has, such as `template_id`; empty for a kind without one. */
  readonly resourceLabels: readonly string[];
  readonly configuration: CollectorConfiguration;
  /** The actions that an access policy has to allow, such as `name/cvm:DescribeAccountQuota`. */
  readonly actions: readonly string[];
  /**
   * Asks for the AppId of the account that the credentials belong to. Absent where no operation of the
   * kind returns it.
   */
  readonly askAppId?: (call: ServiceCall, region: string, context: PollContext) => Promise<number>;
  /** Every kind of change that `compare` may find. */
  readonly changeTexts: ChangeTexts;
}

/**
 * What you write to add a kind of target. `T`, `S` and `R` are the target, snapshot and record of that
 * kind.
 */
export interface CollectorDefinition<
  T extends Target,
  S extends Snapshot,
  R extends TargetRecord,
  AccountKeys extends z.ZodObject = z.ZodObject,
  RegionKeys extends z.ZodObject = z.ZodObject,
> extends CollectorFacts {
  readonly configuration: CollectorConfiguration<AccountKeys, RegionKeys>;
  /** What is wrong with a region as a whole. Each key of the kind is valid by itself. */
  readonly regionProblems?: (
    name: string,
    regionKeys: z.output<RegionKeys>,
  ) => readonly RegionProblem[];
  readonly isTarget: (target: Target) => target is T;
  readonly isSnapshot: (snapshot: Snapshot) => snapshot is S;
  readonly isRecord: (record: TargetRecord) => record is R;
  /** The targets that a region of an account asks for. */
  readonly plan: (
    settings: RegionSettings<z.output<AccountKeys>, z.output<RegionKeys>>,
  ) => readonly T[];
  /**
   * What a listing shows beside the name of a target: `zones ap-guangzhou-3`; empty where there is
   * nothing to add.
   */
  readonly details: (target: T) => string;
  /** Asks the service in one or more calls. Rejects with a CodedError. */
  readonly poll: (call: ServiceCall, target: T, context: PollContext) => Promise<PollAnswer<S>>;
  /** The record of a target that was never polled: no snapshot, counters at 0. */
  readonly newRecord: (target: T) => R;
  /** Continues a record for a target with the same key, whose selection may have changed. */
  readonly continueRecord: (record: R, target: T) => R;
  /**
   * The same record with its changes counted from 0. Used when the counters of a target were shown from 0
   * before its stored record was found: a counter that jumps would look like new changes.
   */
  readonly countFromZero: (record: R) => R;
  /**
   * The record without everything that must not be compared with the answer of another account. Counters
   * keep their values.
   */
  readonly forget: (record: R) => R;
  /**
   * Compares a snapshot with what the record knows. Pure. The first snapshot is a baseline: it gives no
   * change. The first snapshot of another account is a baseline too, because the record has forgotten the
   * account before.
   *
   * @param nowMs when the poll ended; milliseconds since the Unix epoch
   */
  readonly compare: (record: R, snapshot: S, nowMs: number) => Comparison<R>;
  /** The form of a stored record. */
  readonly stored: z.ZodType<R>;
  /** The metrics that only this kind has. */
  readonly families: readonly Family<R>[];
  /** Absent for a kind that reports no quotas. */
  readonly quotaReport?: QuotaReport<R>;
  /**
   * The things that a target names and that no answer to the question has held, as far as the record
   * says: `zone ap-guangzhou-3`. Absent for a kind whose targets name nothing but their resource.
   */
  readonly neverAnswered?: (record: R, target: T) => readonly string[];
  /** The snapshot in the JSON interface; keys in snake_case. */
  readonly json: (snapshot: S) => object;
  /** A table for what the tables of quotas and targets do not show. */
  readonly table?: KindTable<R>;
}

/** A collector as the program uses it. Its functions take targets, snapshots and records of its kind only. */
export interface Collector extends CollectorFacts {
  /** Empty when a key of the kind is wrong by itself. */
  readonly regionProblems: (name: string, regionKeys: unknown) => readonly RegionProblem[];
  readonly plan: (settings: RegionSettings<unknown, unknown>) => readonly Target[];
  readonly details: (target: Target) => string;
  readonly poll: (call: ServiceCall, target: Target, context: PollContext) => Promise<PollAnswer>;
  readonly newRecord: (target: Target) => TargetRecord;
  readonly continueRecord: (record: TargetRecord, target: Target) => TargetRecord;
  readonly countFromZero: (record: TargetRecord) => TargetRecord;
  readonly compare: (record: TargetRecord, snapshot: Snapshot, nowMs: number) => Comparison;
  readonly stored: z.ZodType<TargetRecord>;
  readonly families: readonly Family[];
  /** `null` for a kind that reports no quotas. */
  readonly quotaSources: QuotaSources | null;
  readonly quotas: (record: TargetRecord) => readonly Quota[];
  readonly limits: (record: TargetRecord) => readonly LimitHistory[];
  readonly quotaNote: (quota: Quota) => string;
  readonly neverAnswered: (record: TargetRecord, target: Target) => readonly string[];
  readonly json: (snapshot: Snapshot) => object;
  readonly table: KindTable | null;
}

/**
 * Makes a collector of a definition. The type predicates of the definition guard every function, so that
 * a snapshot of one kind can never meet a record of another.
 *
 * @throws Error from the functions of the result, when they get another kind, which is a fault of this
 *   program
 */
export function defineCollector<
  T extends Target,
  S extends Snapshot,
  R extends TargetRecord,
  AccountKeys extends z.ZodObject,
  RegionKeys extends z.ZodObject,
>(definition: CollectorDefinition<T, S, R, AccountKeys, RegionKeys>): Collector {
  const { kind, configuration, families, quotaReport, neverAnswered, table } = definition;
  const asTarget = guard(kind, definition.isTarget);
  const asSnapshot = guard(kind, definition.isSnapshot);
  const asRecord = guard(kind, definition.isRecord);
  const asView = ({ record, ...state }: RecordView): RecordView<R> => ({
    ...state,
    record: asRecord(record),
  });
  return {
    kind,
    operation: definition.operation,
    noun: definition.noun,
    resourceLabels: definition.resourceLabels,
    configuration,
    actions: definition.actions,
    changeTexts: definition.changeTexts,
    ...(definition.askAppId !== undefined && { askAppId: definition.askAppId }),
    stored: definition.stored,
    regionProblems: (name, regionKeys) => {
      const keys = configuration.region.safeParse(regionKeys);
      return keys.success ? (definition.regionProblems?.(name, keys.data) ?? []) : [];
    },
    plan: ({ accountKeys, regionKeys, ...place }) =>
      definition.plan({
        ...place,
        accountKeys: configuration.account.parse(accountKeys),
        regionKeys: configuration.region.parse(regionKeys),
      }),
    details: (target) => definition.details(asTarget(target)),
    poll: (call, target, context) => definition.poll(call, asTarget(target), context),
    newRecord: (target) => definition.newRecord(asTarget(target)),
    countFromZero: (record) => definition.countFromZero(asRecord(record)),
    continueRecord: (record, target) =>
      definition.continueRecord(asRecord(record), asTarget(target)),
    compare: (record, snapshot, nowMs) => {
      const appId = snapshot.appId ?? record.appId;
      const isOtherAccount = record.appId !== null && record.appId !== appId;
      const own = asRecord(record);
      const before = isOtherAccount ? definition.forget(own) : own;
      const compared = definition.compare(before, asSnapshot(snapshot), nowMs);
      return { ...compared, record: { ...compared.record, appId } };
    },
    families: families.map((family) => ({
      ...family,
      samples: (view) => family.samples(asView(view)),
    })),
    quotaSources: quotaReport?.sources ?? null,
    quotas: (record) => quotaReport?.quotas(asRecord(record)) ?? [],
    limits: (record) => quotaReport?.limits(asRecord(record)) ?? [],
    quotaNote: (quota) => quotaReport?.note(quota) ?? '',
    neverAnswered: (record, target) => neverAnswered?.(asRecord(record), asTarget(target)) ?? [],
    json: (snapshot) => definition.json(asSnapshot(snapshot)),
    table:
      table === undefined ? null : { ...table, cells: (record) => table.cells(asRecord(record)) },
  };
}

function guard<Wide, Narrow extends Wide>(kind: string, is: (value: Wide) => value is Narrow) {
  return (value: Wide): Narrow => {
    if (is(value)) return value;
    throw new Error(`the collector ${kind} was given something of another kind`);
  };
}
