/** The state of the emulated service: accounts, their regions, quotas and templates. */
import type { OperationName } from '../protocol/operation-names.ts';
import type { VersionData } from './version-data.ts';

const zonalQuotaTypes = ['postpaid', 'prepaid', 'spotpaid'] as const;
const regionalQuotaTypes = ['image', 'disaster_recover_group'] as const;
export const quotaTypes = [...zonalQuotaTypes, ...regionalQuotaTypes] as const;
export type ZonalQuotaType = (typeof zonalQuotaTypes)[number];
export type RegionalQuotaType = (typeof regionalQuotaTypes)[number];
export type QuotaType = (typeof quotaTypes)[number];

export interface Quota {
  used: number;
  limit: number;
}

export interface PrepaidQuota extends Quota {
  /** Maximum of one purchase. */
  onceLimit: number;
}

export interface GroupQuota extends Quota {
  /** Maximum number of instances in one placement group, by the level of the group. */
  instancesPerGroup: { host: number; switch: number; rack: number };
}

export type PlaceState = 'AVAILABLE' | 'UNAVAILABLE';

export interface Zone {
  readonly name: string;
  readonly state: PlaceState;
  readonly quotas: {
    readonly postpaid: Quota | null;
    readonly prepaid: PrepaidQuota | null;
    readonly spotpaid: Quota | null;
  };
}

/** Changes to the row of an object in answers. */
export interface RowOverrides {
  /** Fields that are left out, such as `CreationTime` or `LaunchTemplateVersionData.DataDisks`. */
  readonly omit: 'all' | readonly string[];
  /** Fields and the values that answers have for them, also for fields in `omit`. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface TemplateVersion {
  readonly version: number;
  readonly description: string | null;
  /** ISO 8601 in UTC, whole seconds. */
  readonly creationTime: string;
  readonly data: VersionData;
  readonly row: RowOverrides;
}

export interface Template {
  readonly id: string;
  readonly name: string;
  readonly tags: ReadonlyMap<string, string>;
  readonly creationTime: string;
  defaultVersion: number;
  /** The highest number that was ever used. No number is used twice. */
  highestVersion: number;
  readonly versions: Map<number, TemplateVersion>;
  readonly row: RowOverrides;
}

export interface Region {
  readonly name: string;
  readonly state: PlaceState;
  readonly zones: Map<string, Zone>;
  readonly quotas: {
    readonly image: Quota | null;
    readonly disaster_recover_group: GroupQuota | null;
  };
  readonly templates: Map<string, Template>;
}

export interface AccessKey {
  readonly secretId: string;
  readonly secretKey: string;
  /** `null` for a permanent key. */
  readonly token: string | null;
  /** Milliseconds since the Unix epoch. `null` when the key does not expire. */
  readonly validUntilMs: number | null;
}

export interface Account {
  readonly name: string;
  readonly appId: number;
  readonly uin: string;
  /** An account with an empty list accepts unsigned requests. */
  readonly keys: readonly AccessKey[];
  readonly deniedOperations: ReadonlySet<OperationName>;
  readonly regions: Map<string, Region>;
}

/** A change that a client can notice. Used figures are not listed, because they change too often. */
export interface StateChange {
  readonly kind:
    | 'default-version-changed'
    | 'version-created'
    | 'version-deleted'
    | 'template-created'
    | 'template-deleted'
    | 'quota-limit-raised'
    | 'quota-limit-lowered'
    | 'zone-appeared'
    | 'zone-disappeared';
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly account: string;
  readonly region: string;
  readonly zone: string | null;
  readonly quotaType: QuotaType | null;
  readonly templateId: string | null;
  /** A version number or a limit. `null` if there was none. */
  readonly oldValue: number | null;
  readonly newValue: number | null;
}
