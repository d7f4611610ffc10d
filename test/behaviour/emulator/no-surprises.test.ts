/** What an author of tests relies on besides the operations: overrides of rows, refused faults, the state as a scenario. */
import { request } from 'undici';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  createEmulator,
  type Account,
  type FaultRuleInput,
  type ScenarioInput,
} from '../../../src/emulator/emulator.ts';
import { answerOf, regionScenario } from '../../support/answer-rows.ts';
import { temporaryFile } from '../../support/directories.ts';
import { codeBlocks, readPages } from '../../support/docs/markdown.ts';
import { emulate } from '../../support/emulator.ts';
import { runHere } from '../../support/in-process.ts';
import { fixtureOf, rowsOf } from '../../support/rows.ts';

const region = 'ap-guangzhou';
const zone = 'ap-guangzhou-3';
const quotas = { Action: 'DescribeAccountQuota' };

async function start(changes: Partial<ScenarioInput> = {}) {
  const overdrawn = { zones: [{ name: zone, postpaid: { used: 5, limit: 3 } }] };
  const emulator = await emulate({ scenario: { ...regionScenario(overdrawn), ...changes } });
  const postpaid = () => {
    const { AccountQuotaOverview: overview } = answerOf(emulator, quotas) as {
      AccountQuotaOverview: { AccountQuota: { PostPaidQuotaSet: object[] } };
    };
    return overview.AccountQuota.PostPaidQuotaSet;
  };
  return { emulator, postpaid };
}

test('more of a quota can be used than it allows', async () => {
  const { postpaid } = await start();

  expect(postpaid()).toMatchObject([{ UsedQuota: 5, TotalQuota: 3, RemainingQuota: -2 }]);
});

test('fields of every kind of row can be left out and replaced', async () => {
  const odd = { omit: ['UsedQuota', 'Zone'], fields: { RemainingQuota: null, Colour: 'red' } };
  const subnet = { id: 'subnet-bthucmmy', zone, total: 1, available: 1 };
  const { emulator, postpaid } = await start(
    regionScenario({
      fields: { RegionState: 7 },
      zones: [{ name: zone, postpaid: { limit: 3, ...odd }, omit: 'all' }],
      subnets: [{ ...subnet, omit: ['TotalIpAddressCount'] }],
    }),
  );
  const listOf = (Action: string, name: string) => answerOf(emulator, { Action })[name];

  expect(postpaid()).toEqual([{ TotalQuota: 3, RemainingQuota: null, Colour: 'red' }]);
  expect(listOf('DescribeZones', 'ZoneSet')).toEqual([{}]);
  expect(listOf('DescribeRegions', 'RegionSet')).toMatchObject([{ RegionState: 7 }]);
  const [row] = listOf('DescribeSubnets', 'SubnetSet') as object[];
  expect(row).not.toHaveProperty('TotalIpAddressCount');
});

test.each(rowsOf<[string, FaultRuleInput, string]>('emulator', 'faults-that-never-strike'))(
  'a fault that can never strike is refused: %s',
  async (_what, fault, reason) => {
    const { emulator } = await start();
    const { accounts } = emulator.scenario();

    const answer = await fetch(`${emulator.url}/_emulator/faults`, {
      method: 'POST',
      body: JSON.stringify(fault),
    });

    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(reason);
    expect(() => emulator.faults.add(fault)).toThrow(reason);
    const scenario = { accounts, faults: [fault] };
    await expect(createEmulator({ scenario })).rejects.toThrow(`faults[0].${reason}`);
  },
);

test('the state is a scenario that gives the same state, keys and settings included', async () => {
  const { emulator } = await start(fixtureOf<ScenarioInput>('scenario/every-key'));
  const template = { region, template_id: 'lt-b8v1kcyq' };
  emulator.advance('10m');
  emulator.do([
    { do: 'create-version', ...template },
    { do: 'delete-version', ...template, version: 3 },
    {
      do: 'set-stock',
      region,
      instance_type: 'S5.LARGE8',
      charge_type: 'spotpaid',
      stock: 'WithoutStock',
    },
  ]);

  const answer = await fetch(`${emulator.url}/_emulator/state`);
  const scenario = (await answer.json()) as ScenarioInput;
  const again = await createEmulator({ scenario });

  expect(again.scenario()).toEqual(scenario);
  again.do({ do: 'create-version', ...template });
  expect(again.state.template(template).versions.at(-1)!.version).toBe(4);
});

test.each(rowsOf<[number, Record<string, string>]>('emulator', 'origins-of-control'))(
  'the control API answers %i to a request with %j',
  async (status, headers) => {
    const { emulator } = await start();
    const body = JSON.stringify({ do: 'month-turn' });
    const options = { method: 'POST', body, headers } as const;

    const answer = await request(`${emulator.url}/_emulator/state`, options);

    expect(answer.statusCode).toBe(status);
  },
);

test('the service does not look at host and origin of its requests', async () => {
  const { emulator } = await start();
  const { body } = await request(`${emulator.url}/`, {
    query: { ...quotas, Version: '2017-03-12', Region: region },
    headers: { host: 'anything.example', origin: 'https://site.example' },
  });
  expect(await body.text()).not.toContain('"Error"');
});

test.each([
  [
    { region: 'ap-guangzou', zone },
    'account a has no region ap-guangzou; did you mean ap-guangzhou?',
  ],
  [{ region, zone: 'ap-guangzou-3' }, 'no zone ap-guangzou-3; did you mean ap-guangzhou-3?'],
  [{ region, zone, account: 'b' }, 'no account b; did you mean a?'],
])('an action with an unknown name is told the nearest one: %j', async (place, message) => {
  const { emulator } = await start();

  expect(() => {
    emulator.do({ do: 'set-used', quota_type: 'postpaid', used: 1, ...place });
  }).toThrow(message);
});

test('the scenario of docs/emulator.md is whole: a check of everything in it misses nothing', async () => {
  const page = readPages().find(({ path }) => path === 'docs/emulator.md')!.text;
  const { text } = codeBlocks(page).find((block) => block.text.includes('scenario.schema.json'))!;
  const emulator = await emulate({ scenario: parse(text) as ScenarioInput });
  const [{ secret_id, secret_key }] = emulator.scenario().accounts[0]!.keys as [Account['keys'][0]];
  const regions = { launch_templates: 'all', scaling_groups: 'all' };
  const config = {
    api: { endpoint: emulator.url },
    accounts: [{ name: 'a', launches: true, regions }],
  };
  const file = await temporaryFile('config.yaml', JSON.stringify(config));
  const flags = [`--config.file=${file}`, '--output=json'];

  const env = { TENCENTCLOUD_SECRET_ID: secret_id, TENCENTCLOUD_SECRET_KEY: secret_key };
  const { stdout } = await runHere(['check', ...flags], env);

  const { launches, targets } = JSON.parse(stdout) as Record<
    'launches' | 'targets',
    { up: boolean; incomplete: boolean }[]
  >;
  expect(launches).toHaveLength(2);
  expect(targets.filter(({ up, incomplete }) => !up || incomplete)).toEqual([]);
});

test('an emulator without a scenario has that of the demo, in code as on the command line', async () => {
  const emulator = await createEmulator();

  expect(emulator.scenario().accounts.map(({ name }) => name)).toContain('demo');
});

test('the emulator listens on the loopback interface unless an option says otherwise', async () => {
  const { emulator } = await start();

  expect(new URL(emulator.url).hostname).toBe('127.0.0.1');
});
