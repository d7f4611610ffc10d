/** What a kind that reports quotas says about them. */
import type { LimitHistory } from '../model/limit-history.ts';
import type { Quota } from '../model/quota.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';

/**
 * The fields of the service that contain the numbers of quotas. The HELP texts of the quota metrics name
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

/** The quotas of one type that a target can report. */
export interface ReportableQuotas {
  readonly type: string;
  /** The zones they can have. `null` for any zone of the region, empty for a quota of the whole region. */
  readonly zones: readonly string[] | null;
}

/** The quotas of a kind, for the common metrics, the page, thresholds and `check`. */
export interface QuotaReport<T extends Target, R extends TargetRecord> {
  /** The quotas that a record reports. */
  readonly quotas: (record: R) => readonly Quota[];
  /** The quotas that records of a target can report. */
  readonly reportable: (target: T) => readonly ReportableQuotas[];
  /** The number of changes of each limit, for every quota that is known to exist. */
  readonly limits: (record: R) => readonly LimitHistory[];
  /**
   * A note about the numbers of a quota, such as `used this month`. Empty without a note.
   */
  readonly note: (quota: Quota) => string;
  readonly sources: QuotaSources;
}
