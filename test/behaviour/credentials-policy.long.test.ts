/** The emulator enforces exactly the policies that print-policy prints. */
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { ScenarioInput, TrustPolicy } from '../../src/emulator/emulator.ts';
import { temporaryFile } from '../support/directories.ts';
import { seriesOf } from '../support/exposition.ts';
import { runHere } from '../support/in-process.ts';
import { type ConfigInput, startMonitor } from '../support/monitor.ts';

interface Printed {
  readonly identity: string;
  readonly policy: {
    readonly version: '2.0';
    readonly statement: { effect: 'allow'; action: string[]; resource: string[] }[];
  };
  readonly trust?: TrustPolicy;
}

const source = { type: 'tke_oidc' } as const;
const roleOf = (uin: string) => `qcs::cam::uin/${uin}:roleName/monitor`;
const accounts: ConfigInput['accounts'] = [
  {
    name: 'cluster',
    credentials: source,
    quota_types: ['image'],
    regions: { launch_templates: 'all' },
  },
  {
    name: 'payments',
    credentials: {
      type: 'assume_role',
      role_arn: roleOf('100000000002'),
      external_id: 'external',
      source,
    },
    regions: [{ name: 'ap-x', launch_templates: ['lt-aaaaaaaa'] }],
  },
  {
    name: 'machine',
    credentials: { type: 'cvm_role' },
    quota_types: [],
    regions: [{ name: 'ap-x', launch_templates: ['lt-aaaaaaaa'] }],
  },
];

/** The output of print-policy, with the accounts that only the operator knows. */
async function printedPolicies(): Promise<Printed[]> {
  const file = await temporaryFile('config.yaml', JSON.stringify({ accounts }));
  const { stdout } = await runHere(['print-policy', `--config.file=${file}`, '--list']);
  const known = stdout
    .replaceAll('<uin of the cluster>', '100000000001')
    .replaceAll('<uin of the role in TKE_ROLE_ARN>', '100000000001')
    .replaceAll('<TKE_PROVIDER_ID>', 'cls-1a2b3c4d')
    .replaceAll('<issuer of the cluster>', 'https://cluster.example')
    .replaceAll('<audience of the token>', 'sts.cloud.tencent.com');
  expect(known).not.toMatch(/<[^>]+>/);
  return JSON.parse(known) as Printed[];
}

/** Each row: what is true, policies made of the printed ones, and whether they suffice for every target. */
test.each<[string, (printed: readonly Printed[]) => readonly (readonly Printed[])[], boolean]>([
  ['every target can be polled with the policies that are printed', (printed) => [printed], true],
  [
    'each action of the policies that are printed is needed',
    (printed) => {
      const actions = printed.flatMap(({ policy }, identity) =>
        policy.statement.flatMap(({ action }, statement) =>
          action.map((_name, index) => ({ identity, statement, index })),
        ),
      );
      expect(actions.length).toBeGreaterThanOrEqual(8);
      return actions.map((left) => {
        const fewer = structuredClone([...printed]);
        fewer[left.identity]!.policy.statement[left.statement]!.action.splice(left.index, 1);
        return fewer;
      });
    },
    false,
  ],
  [
    'each condition of the policies that are printed is in force',
    (printed) => {
      const conditions = printed.flatMap(({ trust }) =>
        (trust?.statement ?? []).flatMap(({ condition }) =>
          Object.keys(condition?.string_equal ?? {}),
        ),
      );
      expect(conditions.toSorted((a, b) => a.localeCompare(b))).toEqual([
        'oidc:aud',
        'oidc:iss',
        'sts:external_id',
      ]);
      return conditions.map((key) => {
        const present = new RegExp(`"${key}":\\["[^"]*"\\]`);
        const text = JSON.stringify(printed).replace(present, `"${key}":["another"]`);
        return JSON.parse(text) as Printed[];
      });
    },
    false,
  ],
])('%s', async (_, variantsOf, isEnough) => {
  const region = {
    name: 'ap-x',
    zones: [{ name: 'ap-x-1', postpaid: { limit: 5 } }],
    image: { limit: 10 },
    disaster_recover_group: { limit: 3 },
    launch_templates: [{ id: 'lt-aaaaaaaa', default_version: 1, versions: [1] }],
  };
  const polled = async (printed: readonly Printed[]) => {
    const accountWith = (name: string, uin: string, role: string, identity: string) => {
      const { policy, trust } = printed.find((each) => each.identity === identity)!;
      return { name, uin, roles: [{ name: role, policy, trust }], regions: [region] };
    };
    const provider = {
      id: 'cls-1a2b3c4d',
      issuer: 'https://cluster.example',
      tokens: ['web-token'],
    };
    const ofPayments = roleOf('100000000002');
    const ofMachine = 'the role that is bound to the machine';
    const scenario: ScenarioInput = {
      accounts: [
        {
          ...accountWith('cluster', '100000000001', 'pod', 'the role in TKE_ROLE_ARN'),
          oidc_providers: [provider],
        },
        accountWith('payments', '100000000002', 'monitor', ofPayments),
        accountWith('machine', '100000000003', 'machine', ofMachine),
      ],
      machine: { account: 'machine', role: 'machine' },
    };
    const variables: Record<string, string> = {};
    const monitor = await startMonitor({
      scenario,
      env: variables,
      prepare: async ({ directory }) => {
        await writeFile(`${directory}/token`, 'web-token');
        Object.assign(variables, {
          TKE_REGION: 'ap-x',
          TKE_PROVIDER_ID: 'cls-1a2b3c4d',
          TKE_WEB_IDENTITY_TOKEN_FILE: `${directory}/token`,
          TKE_ROLE_ARN: 'qcs::cam::uin/100000000001:roleName/pod',
        });
      },
      config: ({ endpoint }) => ({
        api: { endpoint, sts_endpoint: endpoint, metadata_endpoint: endpoint },
        accounts,
      }),
    });
    // The first cycle ends when what discovery found was polled, too.
    await monitor.until(async () => {
      const cycles = seriesOf(await monitor.metrics(), 'cvm_monitor_cycles_total');
      return Object.values(cycles).some((count) => count > 0);
    });
    const up = seriesOf(await monitor.metrics(), 'cvm_monitor_target_up');
    return Object.keys(up).filter((key) => up[key] === 1).length;
  };

  const counts = await Promise.all(variantsOf(await printedPolicies()).map(polled));

  // Quotas, templates and discovery of one account, quotas and a template of another, a template of the third.
  const all = 4 + 2 + 1;
  if (isEnough) expect(counts).toEqual([all]);
  else expect(Math.max(...counts)).toBeLessThan(all);
});
