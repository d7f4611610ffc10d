/** What the catalogue of faults happens to: three accounts, each with its own kind of credentials. */
import { writeFile } from 'node:fs/promises';
import type { ScenarioInput } from '../../../src/emulator/emulator.ts';
import type { ConfigInput } from '../../support/daemon-process.ts';
import { startGateway, type Gateway, type Replacement } from '../../support/gateway.ts';
import { startMonitor, type Monitor } from '../../support/monitor.ts';
import type { StubRequest } from '../../support/stub-service.ts';

/** What most faults are done to; no other target may notice. */
export const victim = 'production/ap-guangzhou/quotas';

const zone = (name: string, factor: number) => ({
  name,
  postpaid: { used: factor, limit: 100 * factor },
  prepaid: { used: 2 * factor, limit: 200 * factor, once_limit: 300 },
  spotpaid: { used: 3 * factor, limit: 300 * factor },
});

const region = (name: string, templateId?: string) => ({
  name,
  zones: [zone(`${name}-3`, 3), zone(`${name}-4`, 4)],
  image: { used: 7, limit: 10 },
  disaster_recover_group: { used: 2, limit: 10 },
  launch_templates:
    templateId === undefined ? [] : [{ id: templateId, default_version: 2, versions: [1, 2, 5] }],
});

const scenario: ScenarioInput = {
  requests_per_second: 1_000_000,
  accounts: [
    {
      name: 'production',
      keys: [
        {
          secret_id: 'production-id',
          secret_key: 'production-key',
          token: 'first',
          valid_for: '1h',
        },
        { secret_id: 'second-id', secret_key: 'second-key', token: 'second' },
      ],
      regions: [region('ap-guangzhou', 'lt-b8v1kcyq'), region('ap-shanghai')],
    },
    {
      name: 'staging',
      keys: [{ secret_id: 'staging-id', secret_key: 'staging-key' }],
      regions: [region('ap-guangzhou', 'lt-staging1')],
    },
    { name: 'sandbox', regions: [region('eu-frankfurt', 'lt-sandbox1')] },
  ],
};

/** The only targets of their account that are signed with `production-id`. */
export const productionTargets = [
  victim,
  'production/ap-guangzhou/lt-b8v1kcyq',
  'production/ap-shanghai/quotas',
];
export const stagingTargets = ['staging/ap-guangzhou/quotas', 'staging/ap-guangzhou/lt-staging1'];

export interface World {
  readonly monitor: Monitor;
  /** Absent where the daemon reaches the emulator itself. */
  readonly gateway: Gateway | null;
  /** The variables of the daemon. */
  readonly env: Record<string, string>;
  readonly keyFile: string;
}

export interface WorldOptions {
  readonly behindGateway: boolean;
  readonly api?: Omit<NonNullable<ConfigInput['api']>, 'endpoint'>;
}

export async function startWorld({ behindGateway, api }: WorldOptions): Promise<World> {
  const env = { ID: 'production-id', KEY: 'production-key', TOKEN: 'first' };
  const parts: { gateway: Gateway | null; keyFile: string } = { gateway: null, keyFile: '' };
  const monitor = await startMonitor({
    scenario,
    env,
    ...(behindGateway && {
      serviceUrl: async (emulator) => {
        parts.gateway = await startGateway(emulator);
        return parts.gateway.url;
      },
    }),
    prepare: async ({ directory }) => {
      parts.keyFile = `${directory}/key`;
      await writeFile(`${directory}/id`, 'staging-id');
      await writeFile(parts.keyFile, 'staging-key');
    },
    config: ({ endpoint, directory }) => ({
      poll: { stale_after: '24h' },
      api: { requests_per_second: 20, max_attempts: 3, ...api, endpoint },
      accounts: [
        {
          name: 'production',
          credentials: {
            type: 'environment',
            secret_id_env: 'ID',
            secret_key_env: 'KEY',
            token_env: 'TOKEN',
          },
          regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] }, 'ap-shanghai'],
        },
        {
          name: 'staging',
          credentials: {
            type: 'files',
            secret_id_file: `${directory}/id`,
            secret_key_file: `${directory}/key`,
          },
          regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-staging1'] }],
        },
        {
          name: 'sandbox',
          credentials: { type: 'none' },
          regions: [{ name: 'eu-frankfurt', launch_templates: ['lt-sandbox1'] }],
        },
      ],
    }),
  });
  return { monitor, env, ...parts };
}

/** Whether a request is a poll of {@link victim}. */
function isOfVictim({ query }: StubRequest): boolean {
  return (
    query.SecretId === 'production-id' &&
    query.Region === 'ap-guangzhou' &&
    query.Action === 'DescribeAccountQuota'
  );
}

/** Spoils every answer about {@link victim}. */
export function replaceAnswersOfVictim({ gateway }: World, replacement: Replacement): void {
  if (gateway === null) throw new Error('there is no gateway');
  gateway.replacementFor = (request) => (isOfVictim(request) ? replacement : null);
}
