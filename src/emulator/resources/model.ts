/** The state of the emulated service: accounts, their regions, quotas and templates. */
import type { Policy, TrustPolicy } from '../access/policy.ts';
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
  /** What requests with the key may do. `null` for everything. */
  readonly policy: Policy | null;
}

/** A role of an account. Others assume it, and get temporary keys with its policy. */
export interface Role {
  readonly name: string;
  readonly id: string;
  /** `null` for everything. */
  readonly policy: Policy | null;
  /** `null` for every caller. */
  readonly trust: TrustPolicy | null;
  readonly maxSessionMs: number;
}

/** The temporary key of a role. */
export interface Session extends AccessKey {
  readonly role: Role;
  readonly sessionName: string;
  readonly validUntilMs: number;
}

/** A provider of identities whose tokens are accepted, such as a cluster. */
export interface OidcProvider {
  readonly id: string;
  readonly issuer: string;
  readonly audience: string;
  readonly tokens: readonly {
    readonly token: string;
    /** Milliseconds since the Unix epoch. `null` when the token does not expire. */
    readonly validUntilMs: number | null;
  }[];
}

export interface Account {
  readonly name: string;
  readonly appId: number;
  readonly uin: string;
  /** An account without keys and roles accepts unsigned requests. */
  readonly keys: readonly AccessKey[];
  readonly roles: ReadonlyMap<string, Role>;
  readonly oidcProviders: ReadonlyMap<string, OidcProvider>;
  /** The temporary keys of roles, by SecretId. */
  readonly sessions: Map<string, Session>;
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
