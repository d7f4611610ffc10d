import type { QuotaSelection, QuotaType } from './target.ts';

const units = ['instances', 'vcpus', 'images', 'groups'] as const;
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

/** The most instances one placement group may hold, by the level it spreads over. */
export interface DisasterRecoverGroupInstanceLimits {
  readonly host: number;
  readonly switch: number;
  readonly rack: number;
}

/** What the service last said about a region's quotas. */
export interface QuotaSnapshot {
  readonly kind: 'quota';
  readonly appId: number | null;
  /** What was asked for and is selected still; a zone outside it is unknown, not gone. */
  readonly selection: QuotaSelection;
  /** At most one per quota type and zone. */
  readonly quotas: readonly Quota[];
  readonly groupInstanceLimits: DisasterRecoverGroupInstanceLimits | null;
}

/** What is known of the default version's data; absent fields are empty strings. */
export interface DefaultVersion {
  readonly version: number;
  readonly imageId: string;
  readonly instanceType: string;
  readonly chargeType: string;
}

/** What the service last said about a launch template. */
export interface LaunchTemplateSnapshot {
  readonly kind: 'launch-template';
  /** Every version number, ascending, each once. */
  readonly versions: readonly number[];
  /** `null` when no version, or more than one, claims to be the default. */
  readonly defaultVersion: DefaultVersion | null;
}

export type Snapshot = QuotaSnapshot | LaunchTemplateSnapshot;

/** Identifies a quota within its target: its type, and its zone where it has one. */
export function quotaKey(quota: Pick<Quota, 'type' | 'zone'>): string {
  return quota.zone === null ? quota.type : `${quota.type}/${quota.zone}`;
}
