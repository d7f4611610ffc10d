/** An emulator with an account for each source of credentials, and monitors that watch it. */
import { writeFile } from 'node:fs/promises';
import type { OperationName, ScenarioInput } from '../../../src/emulator/emulator.ts';
import type { ConfigInput } from '../../support/daemon-process.ts';
import { type Monitor } from '../../support/monitor.ts';
import { trust } from '../../support/trust.ts';

export type CredentialsInput = NonNullable<ConfigInput['accounts'][number]['credentials']>;

const monitorRole = 'qcs::cam::uin/100000000002:roleName/monitor';
const regions = Array.from({ length: 20 }, (_, i) => `ap-region${String.fromCharCode(97 + i)}`);
export const scenario: ScenarioInput = {
  accounts: [
    {
      name: 'central',
      uin: '100000000001',
      keys: [{ secret_id: 'central-id', secret_key: 'central-key' }],
      roles: [
        { name: 'machine', trust: trust({ service: 'cvm.qcloud.com' }) },
        { name: 'first', trust: trust({ qcs: 'qcs::cam::uin/100000000001:root' }) },
        {
          name: 'pod',
          trust: trust(
            { federated: 'qcs::cam::uin/100000000001:oidc-provider/cls-1a2b3c4d' },
            { action: 'name/sts:AssumeRoleWithWebIdentity' },
          ),
        },
      ],
      oidc_providers: [
        {
          id: 'cls-1a2b3c4d',
          tokens: [{ token: 'web-token' }, { token: 'old-web-token', valid_for: '1h' }],
        },
      ],
      regions: regions.map((name) => ({ name, image: { limit: 10 } })),
    },
    {
      name: 'member',
      uin: '100000000002',
      roles: [
        {
          name: 'monitor',
          trust: trust({ qcs: 'qcs::cam::uin/100000000001:root' }, { externalId: 'external' }),
        },
      ],
      regions: regions.map((name) => ({ name, image: { limit: 20 } })),
    },
  ],
  machine: { role: 'machine' },
};

export const pod = {
  prepare: ({ directory }: { directory: string }) => writeFile(`${directory}/token`, 'web-token\n'),
  env: (directory: string) => ({
    TKE_REGION: 'ap-regiona',
    TKE_PROVIDER_ID: 'cls-1a2b3c4d',
    TKE_WEB_IDENTITY_TOKEN_FILE: `${directory}/token`,
    TKE_ROLE_ARN: 'qcs::cam::uin/100000000001:roleName/pod',
  }),
};

export const keys = {
  env: () => ({ TENCENTCLOUD_SECRET_ID: 'central-id', TENCENTCLOUD_SECRET_KEY: 'central-key' }),
};

export const member = (source: object = { type: 'environment' }) =>
  ({
    type: 'assume_role',
    role_arn: monitorRole,
    external_id: 'external',
    duration: '2h',
    source,
  }) as CredentialsInput;

export const requestsOf = ({ emulator }: Monitor, name: OperationName) =>
  emulator.requests.list().filter(({ operation }) => operation === name);
