// Made from the schema by `npm run generate`.

/** What an identity may do. */
export interface PolicyInput {
  /** the version of the form of policies */
  version: '2.0';
  /** what is allowed and denied; everything else is denied */
  statement: {
    /** deny overrides allow */
    effect: 'allow' | 'deny';
    /** such as name/cvm:DescribeAccountQuota; `*` matches any text */
    action: string | string[];
    /** a role for AssumeRole; `*` for the operations of cvm */
    resource: string | string[];
  }[];
}

/** Who may assume a role. */
export interface TrustPolicyInput {
  /** the version of the form of policies */
  version: '2.0';
  /** who may assume the role, and how */
  statement: {
    /** deny overrides allow */
    effect: 'allow' | 'deny';
    /** such as name/cvm:DescribeAccountQuota; `*` matches any text */
    action: string | string[];
    /** who may assume the role */
    principal: {
      /** accounts, such as qcs::cam::uin/100000000001:root */
      qcs?: string | string[] | undefined;
      /** such as cvm.qcloud.com, for a role of a machine */
      service?: string | string[] | undefined;
      /** such as qcs::cam::uin/100000000001:oidc-provider/cls-1a2b3c4d */
      federated?: string | string[] | undefined;
    };
    /** further conditions that must be true */
    condition?:
      | {
          /** such as sts:external_id, oidc:iss or oidc:aud, with the accepted values */
          string_equal: Record<string, string | string[]>;
        }
      | undefined;
  }[];
}
