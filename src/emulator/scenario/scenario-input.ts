// Made from the schema by `npm run generate`.

import type { BehaviourInput } from './behaviour-input.ts';
import type { PolicyInput, TrustPolicyInput } from '../access/policy-input.ts';
import type { FaultRuleScenario } from '../faults/fault-rule-scenario.ts';
import type { OperationName } from '../protocol/operation-names.ts';
import type { VersionData } from '../resources/version-data.ts';

/** The figures of a quota. */
export interface QuotaInput {
  /** how much is used */
  used?: number | undefined;
  /** how much may be used */
  limit: number;
}

/** The quotas of a zone; one that is absent has no row. */
export interface ZoneQuotasInput {
  /** instances that are paid by the hour */
  postpaid?: QuotaInput | undefined;
  /** instances that are paid by the month; used is counted by month */
  prepaid?:
    | (QuotaInput & {
        /** the most that one purchase may take; the limit when absent */
        once_limit?: number | undefined;
      })
    | undefined;
  /** counts vCPU cores */
  spotpaid?: QuotaInput | undefined;
}

/** What a version says beside its number. */
export interface VersionContentInput {
  /** LaunchTemplateVersionDescription */
  description?: string | null | undefined;
  /** when it is created, when absent */
  creation_time?: string | undefined;
  /** replaces fields of a complete example */
  data?: VersionData | undefined;
  /** fields that are left out of its row in answers; `all` for every field */
  omit?: 'all' | string[] | undefined;
  /** fields of its row in answers, with the values that they are answered with */
  fields?: Record<string, unknown> | undefined;
}

/** What a template says beside its ID. */
export interface TemplateContentInput {
  /** LaunchTemplateName */
  name?: string | undefined;
  /** what the filters tag-key, tag-value and tag:KEY of DescribeLaunchTemplates look at */
  tags?: Record<string, string> | undefined;
  /** the number of the default version */
  default_version: number;
  /** a version is its number alone, or a map */
  versions: (
    | number
    | (VersionContentInput & {
        /** its number */
        version: number;
      })
  )[];
  /** fields that are left out of its row in answers; `all` for every field */
  omit?: 'all' | string[] | undefined;
  /** fields of its row in answers, with the values that they are answered with */
  fields?: Record<string, unknown> | undefined;
}

/** What each action in a region says. */
export interface RegionActionInput {
  /** the first account when absent */
  account?: string | undefined;
  /** a region of the account */
  region: string;
  /** since the start of the scenario */
  at: string;
}

/** A scenario as it is written. */
export interface ScenarioInput {
  /** per operation and account; more are answered with RequestLimitExceeded */
  requests_per_second?: number | undefined;
  /** what the emulator does where the behaviour of the service is not published */
  behaviour?: BehaviourInput | undefined;
  /** after so many a connection is closed; without end when absent */
  requests_per_connection?: number | undefined;
  /** how long a connection is kept open between two requests */
  idle_connection?: string | undefined;
  /** the accounts; at most one has no keys */
  accounts: {
    /** what actions and faults call it */
    name: string;
    /** the AppId of answers */
    app_id?: number | undefined;
    /** the CreatedBy of templates */
    uin?: string | undefined;
    /** an account without keys and roles takes unsigned requests */
    keys?:
      | {
          /** letters, digits, _ and -; of one account only */
          secret_id: string;
          /** what requests are signed with */
          secret_key: string;
          /** makes the key a temporary one */
          token?: string | undefined;
          /** how long after the start the token is accepted */
          valid_for?: string | undefined;
          /** what it may do; everything when absent */
          policy?: PolicyInput | undefined;
        }[]
      | undefined;
    /** what AssumeRole and the metadata service give */
    roles?:
      | {
          /** the NAME of qcs::cam::uin/UIN:roleName/NAME */
          name: string;
          /** the ID of qcs::cam::uin/UIN:role/ID */
          id?: string | undefined;
          /** what it may do; everything when absent */
          policy?: PolicyInput | undefined;
          /** who may assume it; every caller when absent */
          trust?: TrustPolicyInput | undefined;
          /** the longest duration of a session */
          max_session?: string | undefined;
        }[]
      | undefined;
    /** whose tokens AssumeRoleWithWebIdentity accepts */
    oidc_providers?:
      | {
          /** the ProviderId, such as the ID of a cluster */
          id: string;
          /** the condition oidc:iss */
          issuer?: string | undefined;
          /** the condition oidc:aud */
          audience?: string | undefined;
          /** the tokens of the provider */
          tokens?:
            | {
                /** a WebIdentityToken; compared as a text */
                token: string;
                /** how long after the start it is accepted; without end when absent */
                valid_for?: string | undefined;
              }[]
            | undefined;
        }[]
      | undefined;
    /** answered with UnauthorizedOperation */
    denied_operations?: OperationName[] | undefined;
    /** the regions that answer; others are UnsupportedRegion */
    regions?:
      | {
          /** such as ap-guangzhou */
          name: string;
          /** what DescribeRegions and DescribeZones say */
          state?: 'AVAILABLE' | 'UNAVAILABLE' | undefined;
          /** the zones of the region, with their quotas */
          zones?:
            | (ZoneQuotasInput & {
                /** such as ap-guangzhou-3 */
                name: string;
                /** what DescribeRegions and DescribeZones say */
                state?: 'AVAILABLE' | 'UNAVAILABLE' | undefined;
              })[]
            | undefined;
          /** custom images of the region */
          image?: QuotaInput | undefined;
          /** placement groups of the region */
          disaster_recover_group?:
            | (QuotaInput & {
                /** the most instances of one group, by the level that it spreads over */
                instances_per_group?:
                  | {
                      /** CvmInHostGroupQuota */
                      host: number;
                      /** CvmInSwitchGroupQuota */
                      switch: number;
                      /** CvmInRackGroupQuota */
                      rack: number;
                    }
                  | undefined;
              })
            | undefined;
          /** the launch templates of the region */
          launch_templates?:
            | (TemplateContentInput & {
                /** such as lt-b8v1kcyq */
                id: string;
              })[]
            | undefined;
        }[]
      | undefined;
  }[];
  /** what the metadata service answers; no role is bound when absent */
  machine?:
    | {
        /** the account of the role; the first when absent */
        account?: string | undefined;
        /** the role that is bound to the machine */
        role: string;
        /** how long each set of temporary keys is valid */
        session?: string | undefined;
      }
    | undefined;
  /** what happens to the state, and when */
  timeline?:
    | (
        | (RegionActionInput & {
            /** changes how much of a quota is used */
            do: 'set-used';
            /** of postpaid, prepaid and spotpaid, and only of these */
            zone?: string | undefined;
            /** which quota */
            quota_type: 'postpaid' | 'prepaid' | 'spotpaid' | 'image' | 'disaster_recover_group';
            /** how much is used from then on */
            used: number;
          })
        | (RegionActionInput & {
            /** raises or lowers the limit of a quota */
            do: 'set-limit';
            /** of postpaid, prepaid and spotpaid, and only of these */
            zone?: string | undefined;
            /** which quota */
            quota_type: 'postpaid' | 'prepaid' | 'spotpaid' | 'image' | 'disaster_recover_group';
            /** how much may be used from then on */
            limit: number;
          })
        | (RegionActionInput & {
            /** makes another version of a template the default */
            do: 'set-default-version';
            /** such as lt-b8v1kcyq */
            template_id: string;
            /** a number, or `latest` for the highest one */
            version: number | 'latest';
          })
        | (VersionContentInput &
            RegionActionInput & {
              /** adds a version to a template */
              do: 'create-version';
              /** such as lt-b8v1kcyq */
              template_id: string;
              /** the next free number when absent */
              version?: number | undefined;
            })
        | (RegionActionInput & {
            /** deletes a version that is not the default */
            do: 'delete-version';
            /** such as lt-b8v1kcyq */
            template_id: string;
            /** a number, or `latest` for the highest one */
            version: number | 'latest';
          })
        | (TemplateContentInput &
            RegionActionInput & {
              /** creates a template */
              do: 'create-template';
              /** such as lt-b8v1kcyq */
              template_id: string;
            })
        | (RegionActionInput & {
            /** deletes a template */
            do: 'delete-template';
            /** such as lt-b8v1kcyq */
            template_id: string;
          })
        | (ZoneQuotasInput &
            RegionActionInput & {
              /** adds a zone to a region */
              do: 'add-zone';
              /** a zone that the region does not have */
              zone: string;
            })
        | (RegionActionInput & {
            /** removes a zone with its quotas */
            do: 'remove-zone';
            /** a zone that the region has */
            zone: string;
          })
        | {
            /** sets what is used of all prepaid quotas to 0 */
            do: 'month-turn';
            /** the first account when absent */
            account?: string | undefined;
            /** since the start of the scenario */
            at: string;
          }
      )[]
    | undefined;
  /** after this long the timeline begins again; the state stays as it is */
  timeline_repeats_every?: string | undefined;
  /** what goes wrong, when, and for whom */
  faults?: FaultRuleScenario[] | undefined;
}
