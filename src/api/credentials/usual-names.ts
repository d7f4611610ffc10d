/** The names of the environment variables that the service's own tools read. */
export const usualNames = {
  secretId: 'TENCENTCLOUD_SECRET_ID',
  secretKey: 'TENCENTCLOUD_SECRET_KEY',
  /** The name depends on the tool (docs/service.md, section 12). The first variable that is set counts. */
  tokens: ['TENCENTCLOUD_TOKEN', 'TENCENTCLOUD_SESSION_TOKEN', 'TENCENTCLOUD_SECURITY_TOKEN'],
} as const;

/** The variables that a cluster with OIDC sets in its pods (docs/service.md, section 12). */
export const tkeVariables = {
  region: 'TKE_REGION',
  providerId: 'TKE_PROVIDER_ID',
  tokenFile: 'TKE_WEB_IDENTITY_TOKEN_FILE',
  roleArn: 'TKE_ROLE_ARN',
} as const;
