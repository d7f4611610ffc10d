/** Keys that sign as real ones do; nothing checks them. */
export const credentialVariables = {
  TENCENTCLOUD_SECRET_ID: 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE',
  TENCENTCLOUD_SECRET_KEY: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE',
};
