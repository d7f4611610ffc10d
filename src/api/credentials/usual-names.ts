/** The names of the environment variables that the service's own tools read. */
export const usualNames = {
  secretId: 'TENCENTCLOUD_SECRET_ID',
  secretKey: 'TENCENTCLOUD_SECRET_KEY',
  /** The name depends on the tool (docs/service.md, section 12). The first variable that is set counts. */
  tokens: ['TENCENTCLOUD_TOKEN', 'TENCENTCLOUD_SESSION_TOKEN', 'TENCENTCLOUD_SECURITY_TOKEN'],
} as const;
