/** An emulator with an account for each source of credentials, and monitors that watch it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OperationName, ScenarioInput } from '../../../src/emulator/emulator.ts';
import type { ConfigInput } from '../../support/daemon-process.ts';
import { startMonitor, type Monitor, type MonitorOptions } from '../../support/monitor.ts';
import { trust } from '../../support/trust.ts';

export type CredentialsInput = NonNullable<ConfigInput['accounts'][number]['credentials']>;

export const hourMs = 3_600_000;
export const monitorRole = 'qcs::cam::uin/100000000002:roleName/monitor';
export const regions = Array.from(
  { length: 20 },
  (_, i) => `ap-region${String.fromCharCode(97 + i)}`,
);
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

export interface Given {
  readonly credentials?: CredentialsInput;
  readonly prepare?: MonitorOptions['prepare'];
  readonly serviceUrl?: MonitorOptions['serviceUrl'];
  readonly env?: (directory: string) => Record<string, string>;
  readonly watched?: readonly string[];
  /** `api.timeout`. */
  readonly timeout?: string;
}

/** A monitor of one account, whose credentials come from the emulator and a directory. */
export async function start({
  credentials,
  prepare,
  serviceUrl,
  env,
  watched = ['ap-regiona'],
  timeout = '5s',
}: Given) {
  const variables: Record<string, string> = {};
  return startMonitor({
    scenario,
    ...(serviceUrl !== undefined && { serviceUrl }),
    env: variables,
    config: ({ endpoint }) => ({
      api: {
        endpoint,
        sts_endpoint: endpoint,
        metadata_endpoint: endpoint,
        timeout,
        requests_per_second: 20,
      },
      accounts: [
        {
          name: 'watched',
          ...(credentials !== undefined && { credentials }),
          quota_types: ['image'],
          regions: [...watched],
        },
      ],
    }),
    prepare: async (places) => {
      Object.assign(variables, env?.(places.directory));
      await prepare?.(places);
    },
  });
}

export const pod = {
  prepare: ({ directory }: { directory: string }) => writeFile(`${directory}/token`, 'web-token\n'),
  env: (directory: string) => ({
    TKE_REGION: 'ap-regiona',
    TKE_PROVIDER_ID: 'cls-1a2b3c4d',
    TKE_WEB_IDENTITY_TOKEN_FILE: `${directory}/token`,
    TKE_ROLE_ARN: 'qcs::cam::uin/100000000001:roleName/pod',
  }),
};

export const home = {
  prepare: async ({ directory }: { directory: string }) => {
    await mkdir(join(directory, '.tencentcloud'));
    const text = '[default]\nsecret_id = central-id\nsecret_key = central-key\n';
    await writeFile(join(directory, '.tencentcloud', 'credentials'), text);
  },
  env: (directory: string) => ({ HOME: directory }),
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

export const chained = member({
  type: 'assume_role',
  role_arn: 'qcs::cam::uin/100000000001:roleName/first',
  source: { type: 'environment' },
});

export const requestsOf = ({ emulator }: Monitor, name: OperationName) =>
  emulator.requests.list().filter(({ operation }) => operation === name);
