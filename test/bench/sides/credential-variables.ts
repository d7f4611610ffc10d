/** Example keys. Nothing checks them. */
export const keys = {
  secretId: 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE',
  secretKey: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE',
};

/** The variables of an account, by its place in the list. Accounts with one SecretId share a rate limit. */
export function variableNames(i: number) {
  return { secret_id_env: `SECRET_ID_${i}`, secret_key_env: `SECRET_KEY_${i}` };
}

/** The environment of so many accounts. */
export function variablesOf(accounts: number): Record<string, string> {
  const entries = Array.from({ length: accounts }, (_, i) => {
    const { secret_id_env: idName, secret_key_env: keyName } = variableNames(i);
    return [
      [idName, `${keys.secretId}${i}`],
      [keyName, keys.secretKey],
    ];
  });
  return Object.fromEntries(entries.flat()) as Record<string, string>;
}
