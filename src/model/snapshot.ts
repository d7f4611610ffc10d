import type { QuotaSelection, QuotaType } from './target.ts';

export const units = ['instances', 'vcpus', 'images', 'groups'] as const;
/** What a quota counts. */
export type Unit = (typeof units)[number];

/** The unit of each quota type (service-facts.md, section 5; spot quotas count vCPU cores). */
export const unitOf: Readonly<Record<QuotaType, Unit>> = {
  postpaid: 'instances',
  prepaid: 'instances',
  spotpaid: 'vcpus',
  image: 'images',
  disaster_recover_group: 'groups',
};

/** The quota types that the service counts by zone; the others hold for a whole region. */
export const zonalQuotaTypes: ReadonlySet<QuotaType> = new Set<QuotaType>([
  'postpaid',
  'prepaid',
  'spotpaid',
]);

/** One quota: a row of the service's quota sets (service.md, section 2.3). All counts are in `unitOf[type]`. */
export interface Quota {
  readonly type: QuotaType;
  /** `null` for a quota of the whole region. */
  readonly zone: string | null;
  readonly used: number;
  readonly remaining: number;
  readonly limit: number;
  /** The most one purchase may take; prepaid only, else `null`. */
  readonly onceLimit: number | null;
}

/** The most instances one placement group may hold, by the level it spreads over; `null`: unknown. */
export interface DisasterRecoverGroupInstanceLimits {
  readonly host: number | null;
  readonly switch: number | null;
  readonly rack: number | null;
}

/** Which rows the answer had for a quota type, whether or not their figures can be read. */
export interface QuotaRows {
  readonly type: QuotaType;
  /** See {@link rowName}; also of zones that are not selected. Each once. */
  readonly names: readonly string[];
  /** How many rows had no name that can be read, or a name that was there already. */
  readonly unidentified: number;
}

interface Completeness {
  /**
   * What the answer should have told and did not, in short sentences for people. Empty when the
   * answer was complete. What is missing is unknown, not absent.
   */
  readonly missing: readonly string[];
}

/** What the service last said about a region's quotas. */
export interface QuotaSnapshot extends Completeness {
  readonly kind: 'quota';
  /** The account's number at the service; `null` when the answer did not tell it. */
  readonly appId: number | null;
  /** What was asked for and is selected still; a zone outside it is unknown, not gone. */
  readonly selection: QuotaSelection;
  /** At most one per quota type and zone. */
  readonly quotas: readonly Quota[];
  readonly groupInstanceLimits: DisasterRecoverGroupInstanceLimits | null;
  /** One for each selected type, without those whose rows are all unknown. */
  readonly rows: readonly QuotaRows[];
}

/** What is known of the default version's data; absent fields are empty strings. */
export interface DefaultVersion {
  readonly version: number;
  readonly imageId: string;
  readonly instanceType: string;
  readonly chargeType: string;
}

/** What the service last said about a launch template. */
export interface LaunchTemplateSnapshot extends Completeness {
  readonly kind: 'launch-template';
  /** The account's number at the service, where the credentials of the poll are known to be its. */
  readonly appId: number | null;
  /** Every version number that could be read, ascending, each once. */
  readonly versions: readonly number[];
  /** How many further versions there are whose number could not be read. */
  readonly unidentified: number;
  /** `null` when none or several claim to be the default, or an unreadable row may be. */
  readonly defaultVersion: DefaultVersion | null;
}

export type Snapshot = QuotaSnapshot | LaunchTemplateSnapshot;

/** The name of a quota's row among those of its type: its zone, or an empty string for the region. */
export function rowName({ zone }: Pick<Quota, 'zone'>): string {
  return zone ?? '';
}

/** Identifies a quota within its target: its type, and its zone where it has one. */
export function quotaKey(quota: Pick<Quota, 'type' | 'zone'>): string {
  return quota.zone === null ? quota.type : `${quota.type}/${quota.zone}`;
}
