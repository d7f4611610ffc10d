import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { accessPolicies } from '../../../src/credentials/policies.ts';
import { rowsOf } from '../../support/rows.ts';

test.each(rowsOf<[string, Record<string, object>, object]>('policies', 'policies'))(
  'the policies of a configuration: %s',
  (_what, credentials, policies) => {
    const accounts = Object.entries(credentials).map(([name, each]) => ({
      name,
      credentials: each,
      regions: ['ap-x'],
    }));
    const config = parseConfig(JSON.stringify({ accounts }), 'f', collectors);

    const found = accessPolicies(config.accounts, (account) => [`name/cvm:${account}`]);

    expect(found).toEqual(policies);
  },
);
