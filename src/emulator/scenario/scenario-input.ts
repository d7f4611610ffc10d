/** A scenario as it is written. Made from the schema by `npm run generate`. */
export interface LaunchTemplateVersionData {
  VirtualPrivateCloud?:
    | {
        SubnetId?: string | null | undefined;
        AsVpcGateway?: boolean | null | undefined;
        Ipv6AddressCount?: number | null | undefined;
        VpcId?: string | null | undefined;
        [name: string]: unknown;
      }
    | null
    | undefined;
  InstanceCount?: number | null | undefined;
  Placement?:
    | {
        ProjectId?: number | null | undefined;
        Zone?: string | null | undefined;
        [name: string]: unknown;
      }
    | null
    | undefined;
  SystemDisk?:
    | {
        DiskSize?: number | null | undefined;
        DiskType?: string | null | undefined;
        [name: string]: unknown;
      }
    | null
    | undefined;
  ImageId?: string | null | undefined;
  InstanceChargeType?: string | null | undefined;
  EnhancedService?:
    | {
        SecurityService?:
          | {
              Enabled?: boolean | null | undefined;
              [name: string]: unknown;
            }
          | null
          | undefined;
        MonitorService?:
          | {
              Enabled?: boolean | null | undefined;
              [name: string]: unknown;
            }
          | null
          | undefined;
        [name: string]: unknown;
      }
    | null
    | undefined;
  SecurityGroupIds?: string[] | null | undefined;
  InternetAccessible?:
    | {
        PublicIpAssigned?: boolean | null | undefined;
        InternetChargeType?: string | null | undefined;
        InternetMaxBandwidthOut?: number | null | undefined;
        [name: string]: unknown;
      }
    | null
    | undefined;
  InstanceName?: string | null | undefined;
  InstanceType?: string | null | undefined;
  DataDisks?:
    | {
        DiskSize?: number | null | undefined;
        DiskType?: string | null | undefined;
        Encrypt?: boolean | null | undefined;
        DeleteWithInstance?: boolean | null | undefined;
        KmsKeyId?: string | null | undefined;
        [name: string]: unknown;
      }[]
    | null
    | undefined;
  [name: string]: unknown;
}

export interface ScenarioInput {
  /** per operation and account; more are answered with RequestLimitExceeded */
  requests_per_second?: number | undefined;
  /** what the emulator does where the behaviour of the service is not published */
  behaviour?:
    | {
        /** what a quota-type filter leaves of the sets it does not name */
        unselected_quota_sets?: 'empty' | 'absent' | 'null' | undefined;
        /** whether ImageQuotaSet and DisasterRecoverGroupQuotaSet survive a zone filter */
        zone_filter_keeps_regional_sets?: boolean | undefined;
        /** how LaunchTemplateVersionSet is sorted */
        version_order?: 'newest-first' | 'oldest-first' | undefined;
        /** whether MinVersion and MaxVersion themselves belong to the range */
        version_range?: 'inclusive' | 'exclusive' | undefined;
        /** whether TotalCount counts the versions selected or all of the template */
        total_count?: 'selected' | 'all' | undefined;
        /** exclusive: LaunchTemplateVersions.N goes with no range and no paging */
        version_list?: 'combinable' | 'exclusive' | undefined;
      }
    | undefined;
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
    /** an account without keys takes unsigned requests */
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
        }[]
      | undefined;
    /** answered with UnauthorizedOperation */
    denied_operations?:
      | (
          | 'DescribeAccountQuota'
          | 'DescribeLaunchTemplateVersions'
          | 'DescribeLaunchTemplates'
          | 'DescribeRegions'
          | 'DescribeZones'
        )[]
      | undefined;
    /** the regions that answer; others are UnsupportedRegion */
    regions?:
      | {
          /** such as ap-guangzhou */
          name: string;
          /** what DescribeRegions and DescribeZones say */
          state?: 'AVAILABLE' | 'UNAVAILABLE' | undefined;
          /** the zones of the region, with their quotas */
          zones?:
            | {
                /** such as ap-guangzhou-3 */
                name: string;
                /** what DescribeRegions and DescribeZones say */
                state?: 'AVAILABLE' | 'UNAVAILABLE' | undefined;
                /** instances that are paid by the hour */
                postpaid?:
                  | {
                      /** how much is used */
                      used?: number | undefined;
                      /** how much may be used */
                      limit: number;
                    }
                  | undefined;
                /** instances that are paid by the month; used is counted by month */
                prepaid?:
                  | {
                      /** how much is used */
                      used?: number | undefined;
                      /** how much may be used */
                      limit: number;
                      /** the most that one purchase may take; the limit when absent */
                      once_limit?: number | undefined;
                    }
                  | undefined;
                /** counts vCPU cores */
                spotpaid?:
                  | {
                      /** how much is used */
                      used?: number | undefined;
                      /** how much may be used */
                      limit: number;
                    }
                  | undefined;
              }[]
            | undefined;
          /** custom images of the region */
          image?:
            | {
                /** how much is used */
                used?: number | undefined;
                /** how much may be used */
                limit: number;
              }
            | undefined;
          /** placement groups of the region */
          disaster_recover_group?:
            | {
                /** how much is used */
                used?: number | undefined;
                /** how much may be used */
                limit: number;
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
              }
            | undefined;
          /** the launch templates of the region */
          launch_templates?:
            | {
                /** such as lt-b8v1kcyq */
                id: string;
                /** LaunchTemplateName */
                name?: string | undefined;
                /** what the filters tag-key, tag-value and tag:KEY of DescribeLaunchTemplates look at */
                tags?: Record<string, string> | undefined;
                /** the number of the default version */
                default_version: number;
                /** a version is its number alone, or a map */
                versions: (
                  | number
                  | {
                      /** its number */
                      version: number;
                      /** LaunchTemplateVersionDescription */
                      description?: string | null | undefined;
                      /** when it is created, when absent */
                      creation_time?: string | undefined;
                      /** replaces fields of a complete example */
                      data?: LaunchTemplateVersionData | undefined;
                      /** fields that are left out of its row in answers; `all` for every field */
                      omit?: 'all' | string[] | undefined;
                      /** fields of its row in answers, with the values that they are answered with */
                      fields?: Record<string, unknown> | undefined;
                    }
                )[];
                /** fields that are left out of its row in answers; `all` for every field */
                omit?: 'all' | string[] | undefined;
                /** fields of its row in answers, with the values that they are answered with */
                fields?: Record<string, unknown> | undefined;
              }[]
            | undefined;
        }[]
      | undefined;
  }[];
  /** what happens to the state, and when */
  timeline?:
    | (
        | {
            /** changes how much of a quota is used */
            do: 'set-used';
            /** the first account when absent */
            account?: string | undefined;
            /** a region of the account */
            region: string;
            /** of postpaid, prepaid and spotpaid, and only of these */
            zone?: string | undefined;
            /** which quota */
            quota_type: 'postpaid' | 'prepaid' | 'spotpaid' | 'image' | 'disaster_recover_group';
            /** how much is used from then on */
            used: number;
            /** since the start of the scenario */
            at: string;
          }
        | {
            /** raises or lowers the limit of a quota */
            do: 'set-limit';
            /** the first account when absent */
            account?: string | undefined;
            /** a region of the account */
            region: string;
            /** of postpaid, prepaid and spotpaid, and only of these */
            zone?: string | undefined;
            /** which quota */
            quota_type: 'postpaid' | 'prepaid' | 'spotpaid' | 'image' | 'disaster_recover_group';
            /** how much may be used from then on */
            limit: number;
            /** since the start of the scenario */
            at: string;
          }
        | {
            /** makes another version of a template the default */
            do: 'set-default-version';
            /** the first account when absent */
            account?: string | undefined;
            /** a region of the account */
            region: string;
            /** such as lt-b8v1kcyq */
            template_id: string;
            /** a number, or `latest` for the highest one */
            version: number | 'latest';
            /** since the start of the scenario */
            at: string;
          }
        | {
            /** adds a version to a template */
            do: 'create-version';
            /** the first account when absent */
            account?: string | undefined;
            /** a region of the account */
            region: string;
            /** such as lt-b8v1kcyq */
            template_id: string;
            /** the next free number when absent */
            version?: number | undefined;
            /** LaunchTemplateVersionDescription */
            description?: string | null | undefined;
            /** when it is created, when absent */
            creation_time?: string | undefined;
            /** replaces fields of a complete example */
            data?: LaunchTemplateVersionData | undefined;
            /** fields that are left out of its row in answers; `all` for every field */
            omit?: 'all' | string[] | undefined;
            /** fields of its row in answers, with the values that they are answered with */
            fields?: Record<string, unknown> | undefined;
            /** since the start of the scenario */
            at: string;
          }
        | {
            /** deletes a version that is not the default */
            do: 'delete-version';
            /** the first account when absent */
            account?: string | undefined;
            /** a region of the account */
            region: string;
            /** such as lt-b8v1kcyq */
            template_id: string;
            /** a number, or `latest` for the highest one */
            version: number | 'latest';
            /** since the start of the scenario */
            at: string;
          }
        | {
            /** creates a template */
            do: 'create-template';
            /** the first account when absent */
            account?: string | undefined;
            /** a region of the account */
            region: string;
            /** such as lt-b8v1kcyq */
            template_id: string;
            /** LaunchTemplateName */
            name?: string | undefined;
            /** what the filters tag-key, tag-value and tag:KEY of DescribeLaunchTemplates look at */
            tags?: Record<string, string> | undefined;
            /** the number of the default version */
            default_version: number;
            /** a version is its number alone, or a map */
            versions: (
              | number
              | {
                  /** its number */
                  version: number;
                  /** LaunchTemplateVersionDescription */
                  description?: string | null | undefined;
                  /** when it is created, when absent */
                  creation_time?: string | undefined;
                  /** replaces fields of a complete example */
                  data?: LaunchTemplateVersionData | undefined;
                  /** fields that are left out of its row in answers; `all` for every field */
                  omit?: 'all' | string[] | undefined;
                  /** fields of its row in answers, with the values that they are answered with */
                  fields?: Record<string, unknown> | undefined;
                }
            )[];
            /** fields that are left out of its row in answers; `all` for every field */
            omit?: 'all' | string[] | undefined;
            /** fields of its row in answers, with the values that they are answered with */
            fields?: Record<string, unknown> | undefined;
            /** since the start of the scenario */
            at: string;
          }
        | {
            /** deletes a template */
            do: 'delete-template';
            /** the first account when absent */
            account?: string | undefined;
            /** a region of the account */
            region: string;
            /** such as lt-b8v1kcyq */
            template_id: string;
            /** since the start of the scenario */
            at: string;
          }
        | {
            /** adds a zone to a region */
            do: 'add-zone';
            /** the first account when absent */
            account?: string | undefined;
            /** a region of the account */
            region: string;
            /** a zone that the region does not have */
            zone: string;
            /** instances that are paid by the hour */
            postpaid?:
              | {
                  /** how much is used */
                  used?: number | undefined;
                  /** how much may be used */
                  limit: number;
                }
              | undefined;
            /** instances that are paid by the month; used is counted by month */
            prepaid?:
              | {
                  /** how much is used */
                  used?: number | undefined;
                  /** how much may be used */
                  limit: number;
                  /** the most that one purchase may take; the limit when absent */
                  once_limit?: number | undefined;
                }
              | undefined;
            /** counts vCPU cores */
            spotpaid?:
              | {
                  /** how much is used */
                  used?: number | undefined;
                  /** how much may be used */
                  limit: number;
                }
              | undefined;
            /** since the start of the scenario */
            at: string;
          }
        | {
            /** removes a zone with its quotas */
            do: 'remove-zone';
            /** the first account when absent */
            account?: string | undefined;
            /** a region of the account */
            region: string;
            /** a zone that the region has */
            zone: string;
            /** since the start of the scenario */
            at: string;
          }
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
  faults?:
    | (
        | {
            /** under which the rule can be cleared; given by the emulator when absent */
            id?: string | undefined;
            /** every operation when absent */
            operation?:
              | 'DescribeAccountQuota'
              | 'DescribeLaunchTemplateVersions'
              | 'DescribeLaunchTemplates'
              | 'DescribeRegions'
              | 'DescribeZones'
              | undefined;
            /** every account when absent */
            account?: string | undefined;
            /** every region when absent */
            region?: string | undefined;
            /** how likely it strikes a request */
            probability?: number | undefined;
            /** how often it strikes; without end when absent */
            count?: number | undefined;
            /** since the start of the scenario */
            from?: string | undefined;
            /** since the start of the scenario */
            until?: string | undefined;
            /** whether `from` and `until` count from the start of each round of the timeline */
            repeats?: boolean | undefined;
            /** how long the answer is held back: a duration, or min and max of a random one */
            latency?:
              | string
              | {
                  /** the least */
                  min: string;
                  /** the most */
                  max: string;
                }
              | undefined;
            /** the answer, later */
            effect: 'latency';
          }
        | {
            /** under which the rule can be cleared; given by the emulator when absent */
            id?: string | undefined;
            /** every operation when absent */
            operation?:
              | 'DescribeAccountQuota'
              | 'DescribeLaunchTemplateVersions'
              | 'DescribeLaunchTemplates'
              | 'DescribeRegions'
              | 'DescribeZones'
              | undefined;
            /** every account when absent */
            account?: string | undefined;
            /** every region when absent */
            region?: string | undefined;
            /** how likely it strikes a request */
            probability?: number | undefined;
            /** how often it strikes; without end when absent */
            count?: number | undefined;
            /** since the start of the scenario */
            from?: string | undefined;
            /** since the start of the scenario */
            until?: string | undefined;
            /** whether `from` and `until` count from the start of each round of the timeline */
            repeats?: boolean | undefined;
            /** how long the answer is held back: a duration, or min and max of a random one */
            latency?:
              | string
              | {
                  /** the least */
                  min: string;
                  /** the most */
                  max: string;
                }
              | undefined;
            /** the envelope of an error */
            effect: 'error';
            /** the code of the error, whether the service has it or not */
            code: string;
            /** the text of the code when absent */
            message?: string | undefined;
          }
        | {
            /** under which the rule can be cleared; given by the emulator when absent */
            id?: string | undefined;
            /** every operation when absent */
            operation?:
              | 'DescribeAccountQuota'
              | 'DescribeLaunchTemplateVersions'
              | 'DescribeLaunchTemplates'
              | 'DescribeRegions'
              | 'DescribeZones'
              | undefined;
            /** every account when absent */
            account?: string | undefined;
            /** every region when absent */
            region?: string | undefined;
            /** how likely it strikes a request */
            probability?: number | undefined;
            /** how often it strikes; without end when absent */
            count?: number | undefined;
            /** since the start of the scenario */
            from?: string | undefined;
            /** since the start of the scenario */
            until?: string | undefined;
            /** whether `from` and `until` count from the start of each round of the timeline */
            repeats?: boolean | undefined;
            /** how long the answer is held back: a duration, or min and max of a random one */
            latency?:
              | string
              | {
                  /** the least */
                  min: string;
                  /** the most */
                  max: string;
                }
              | undefined;
            /** another HTTP status, as of a gateway */
            effect: 'http-status';
            /** the HTTP status */
            status: number;
            /** an HTML page when absent */
            body?: string | undefined;
            /** the type of the body */
            content_type?: string | undefined;
            /** further headers, such as Retry-After */
            headers?: Record<string, string> | undefined;
          }
        | {
            /** under which the rule can be cleared; given by the emulator when absent */
            id?: string | undefined;
            /** every operation when absent */
            operation?:
              | 'DescribeAccountQuota'
              | 'DescribeLaunchTemplateVersions'
              | 'DescribeLaunchTemplates'
              | 'DescribeRegions'
              | 'DescribeZones'
              | undefined;
            /** every account when absent */
            account?: string | undefined;
            /** every region when absent */
            region?: string | undefined;
            /** how likely it strikes a request */
            probability?: number | undefined;
            /** how often it strikes; without end when absent */
            count?: number | undefined;
            /** since the start of the scenario */
            from?: string | undefined;
            /** since the start of the scenario */
            until?: string | undefined;
            /** whether `from` and `until` count from the start of each round of the timeline */
            repeats?: boolean | undefined;
            /** how long the answer is held back: a duration, or min and max of a random one */
            latency?:
              | string
              | {
                  /** the least */
                  min: string;
                  /** the most */
                  max: string;
                }
              | undefined;
            /** the connection is reset without an answer */
            effect: 'connection-reset';
          }
        | {
            /** under which the rule can be cleared; given by the emulator when absent */
            id?: string | undefined;
            /** every operation when absent */
            operation?:
              | 'DescribeAccountQuota'
              | 'DescribeLaunchTemplateVersions'
              | 'DescribeLaunchTemplates'
              | 'DescribeRegions'
              | 'DescribeZones'
              | undefined;
            /** every account when absent */
            account?: string | undefined;
            /** every region when absent */
            region?: string | undefined;
            /** how likely it strikes a request */
            probability?: number | undefined;
            /** how often it strikes; without end when absent */
            count?: number | undefined;
            /** since the start of the scenario */
            from?: string | undefined;
            /** since the start of the scenario */
            until?: string | undefined;
            /** whether `from` and `until` count from the start of each round of the timeline */
            repeats?: boolean | undefined;
            /** how long the answer is held back: a duration, or min and max of a random one */
            latency?:
              | string
              | {
                  /** the least */
                  min: string;
                  /** the most */
                  max: string;
                }
              | undefined;
            /** never answers */
            effect: 'hang';
          }
        | {
            /** under which the rule can be cleared; given by the emulator when absent */
            id?: string | undefined;
            /** every operation when absent */
            operation?:
              | 'DescribeAccountQuota'
              | 'DescribeLaunchTemplateVersions'
              | 'DescribeLaunchTemplates'
              | 'DescribeRegions'
              | 'DescribeZones'
              | undefined;
            /** every account when absent */
            account?: string | undefined;
            /** every region when absent */
            region?: string | undefined;
            /** how likely it strikes a request */
            probability?: number | undefined;
            /** how often it strikes; without end when absent */
            count?: number | undefined;
            /** since the start of the scenario */
            from?: string | undefined;
            /** since the start of the scenario */
            until?: string | undefined;
            /** whether `from` and `until` count from the start of each round of the timeline */
            repeats?: boolean | undefined;
            /** how long the answer is held back: a duration, or min and max of a random one */
            latency?:
              | string
              | {
                  /** the least */
                  min: string;
                  /** the most */
                  max: string;
                }
              | undefined;
            /** half of the answer, then the end */
            effect: 'truncated-body';
          }
        | {
            /** under which the rule can be cleared; given by the emulator when absent */
            id?: string | undefined;
            /** every operation when absent */
            operation?:
              | 'DescribeAccountQuota'
              | 'DescribeLaunchTemplateVersions'
              | 'DescribeLaunchTemplates'
              | 'DescribeRegions'
              | 'DescribeZones'
              | undefined;
            /** every account when absent */
            account?: string | undefined;
            /** every region when absent */
            region?: string | undefined;
            /** how likely it strikes a request */
            probability?: number | undefined;
            /** how often it strikes; without end when absent */
            count?: number | undefined;
            /** since the start of the scenario */
            from?: string | undefined;
            /** since the start of the scenario */
            until?: string | undefined;
            /** whether `from` and `until` count from the start of each round of the timeline */
            repeats?: boolean | undefined;
            /** how long the answer is held back: a duration, or min and max of a random one */
            latency?:
              | string
              | {
                  /** the least */
                  min: string;
                  /** the most */
                  max: string;
                }
              | undefined;
            /** the answer, a little at a time */
            effect: 'slow-body';
            /** how long the body takes */
            duration?: string | undefined;
          }
        | {
            /** under which the rule can be cleared; given by the emulator when absent */
            id?: string | undefined;
            /** every operation when absent */
            operation?:
              | 'DescribeAccountQuota'
              | 'DescribeLaunchTemplateVersions'
              | 'DescribeLaunchTemplates'
              | 'DescribeRegions'
              | 'DescribeZones'
              | undefined;
            /** every account when absent */
            account?: string | undefined;
            /** every region when absent */
            region?: string | undefined;
            /** how likely it strikes a request */
            probability?: number | undefined;
            /** how often it strikes; without end when absent */
            count?: number | undefined;
            /** since the start of the scenario */
            from?: string | undefined;
            /** since the start of the scenario */
            until?: string | undefined;
            /** whether `from` and `until` count from the start of each round of the timeline */
            repeats?: boolean | undefined;
            /** how long the answer is held back: a duration, or min and max of a random one */
            latency?:
              | string
              | {
                  /** the least */
                  min: string;
                  /** the most */
                  max: string;
                }
              | undefined;
            /** no JSON */
            effect: 'garbage';
          }
        | {
            /** under which the rule can be cleared; given by the emulator when absent */
            id?: string | undefined;
            /** every operation when absent */
            operation?:
              | 'DescribeAccountQuota'
              | 'DescribeLaunchTemplateVersions'
              | 'DescribeLaunchTemplates'
              | 'DescribeRegions'
              | 'DescribeZones'
              | undefined;
            /** every account when absent */
            account?: string | undefined;
            /** every region when absent */
            region?: string | undefined;
            /** how likely it strikes a request */
            probability?: number | undefined;
            /** how often it strikes; without end when absent */
            count?: number | undefined;
            /** since the start of the scenario */
            from?: string | undefined;
            /** since the start of the scenario */
            until?: string | undefined;
            /** whether `from` and `until` count from the start of each round of the timeline */
            repeats?: boolean | undefined;
            /** how long the answer is held back: a duration, or min and max of a random one */
            latency?:
              | string
              | {
                  /** the least */
                  min: string;
                  /** the most */
                  max: string;
                }
              | undefined;
            /** the answer with the type of every value wrong */
            effect: 'wrong-types';
          }
        | {
            /** under which the rule can be cleared; given by the emulator when absent */
            id?: string | undefined;
            /** every operation when absent */
            operation?:
              | 'DescribeAccountQuota'
              | 'DescribeLaunchTemplateVersions'
              | 'DescribeLaunchTemplates'
              | 'DescribeRegions'
              | 'DescribeZones'
              | undefined;
            /** every account when absent */
            account?: string | undefined;
            /** every region when absent */
            region?: string | undefined;
            /** how likely it strikes a request */
            probability?: number | undefined;
            /** how often it strikes; without end when absent */
            count?: number | undefined;
            /** since the start of the scenario */
            from?: string | undefined;
            /** since the start of the scenario */
            until?: string | undefined;
            /** whether `from` and `until` count from the start of each round of the timeline */
            repeats?: boolean | undefined;
            /** how long the answer is held back: a duration, or min and max of a random one */
            latency?:
              | string
              | {
                  /** the least */
                  min: string;
                  /** the most */
                  max: string;
                }
              | undefined;
            /** a small body that unpacks to a huge one */
            effect: 'gzip-bomb';
            /** what it unpacks to */
            size_bytes?: number | undefined;
          }
        | {
            /** under which the rule can be cleared; given by the emulator when absent */
            id?: string | undefined;
            /** every operation when absent */
            operation?:
              | 'DescribeAccountQuota'
              | 'DescribeLaunchTemplateVersions'
              | 'DescribeLaunchTemplates'
              | 'DescribeRegions'
              | 'DescribeZones'
              | undefined;
            /** every account when absent */
            account?: string | undefined;
            /** every region when absent */
            region?: string | undefined;
            /** how likely it strikes a request */
            probability?: number | undefined;
            /** how often it strikes; without end when absent */
            count?: number | undefined;
            /** since the start of the scenario */
            from?: string | undefined;
            /** since the start of the scenario */
            until?: string | undefined;
            /** whether `from` and `until` count from the start of each round of the timeline */
            repeats?: boolean | undefined;
            /** how long the answer is held back: a duration, or min and max of a random one */
            latency?:
              | string
              | {
                  /** the least */
                  min: string;
                  /** the most */
                  max: string;
                }
              | undefined;
            /** a huge body */
            effect: 'huge-body';
            /** how large it is */
            size_bytes?: number | undefined;
          }
      )[]
    | undefined;
}
