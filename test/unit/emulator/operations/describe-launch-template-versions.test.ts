import { describe, expect, test } from 'vitest';
import {
  createEmulator,
  type Emulator,
  type ScenarioInput,
} from '../../../../src/emulator/emulator.ts';
import { ask, quotaQuery, versionsQuery } from '../../../helpers/ask.ts';
import { quotaSample, versionsSample } from '../../../helpers/official-samples.ts';

/** With gaps, more than 20, and numbers beyond 30. */
const numbers = [1, 2, 5, ...Array.from({ length: 25 }, (_, n) => n + 10), 47];

function scenario(behaviour: ScenarioInput['behaviour'] = {}): ScenarioInput {
  return {
    requests_per_second: 1_000_000,
    behaviour,
    accounts: [
      {
        name: 'a',
        uin: '100',
        regions: [
          {
            name: 'ap-guangzhou',
            zones: [{ name: 'ap-guangzhou-6' }],
            launch_templates: [{ id: 'lt-b8v1kcyq', default_version: 47, versions: numbers }],
          },
        ],
      },
    ],
  };
}

function versions(emulator: Emulator, parameters: Readonly<Record<string, string | number>>) {
  const { code, response } = ask(emulator, { ...versionsQuery, ...parameters });
  expect(code).toBeNull();
  const set = response.LaunchTemplateVersionSet as { LaunchTemplateVersion: number }[];
  return {
    total: response.TotalCount as number,
    numbers: set.map((version) => version.LaunchTemplateVersion),
  };
}

test.each([
  [versionsQuery.Action, versionsQuery, versionsSample],
  [quotaQuery.Action, quotaQuery, quotaSample],
])('without a scenario, the official sample is answered: %s', async (_action, query, sample) => {
  const emulator = await createEmulator();

  const { status, response } = ask(emulator, query);

  expect(status).toBe(200);
  expect(response).toEqual({ ...JSON.parse(sample).Response, RequestId: expect.any(String) });
});

describe('a row', () => {
  const timeless = {
    LaunchTemplateVersion: 2,
    LaunchTemplateVersionData: expect.any(Object),
    LaunchTemplateId: 'lt-b8v1kcyq',
    IsDefaultVersion: false,
    LaunchTemplateVersionDescription: '',
    CreatedBy: '251009920',
  };
  const complete = { ...timeless, CreationTime: '2020-12-17T01:54:31Z' };

  test.each([
    ['may lack any field', { omit: ['CreationTime'] }, timeless],
    ['may be empty', { omit: 'all' as const }, {}],
    [
      'may be nothing but what is said',
      { omit: 'all' as const, fields: { LaunchTemplateVersion: 2 } },
      { LaunchTemplateVersion: 2 },
    ],
    [
      'may have a null number',
      { fields: { LaunchTemplateVersion: null } },
      { ...complete, LaunchTemplateVersion: null },
    ],
    [
      'may have a null description',
      { description: null },
      { ...complete, LaunchTemplateVersionDescription: null },
    ],
    [
      'may hold nulls in its data',
      { data: { DataDisks: null, SystemDisk: { DiskSize: null } } },
      {
        ...complete,
        LaunchTemplateVersionData: expect.objectContaining({
          DataDisks: null,
          SystemDisk: { DiskSize: null },
        }),
      },
    ],
    [
      'may lack any field of its data',
      { omit: ['LaunchTemplateVersionData.DataDisks'] },
      {
        ...complete,
        LaunchTemplateVersionData: expect.not.objectContaining({ DataDisks: expect.anything() }),
      },
    ],
    [
      'may have empty data',
      { fields: { LaunchTemplateVersionData: {} } },
      { ...complete, LaunchTemplateVersionData: {} },
    ],
  ])('%s', async (_name, odd, row) => {
    const version = { version: 2, creation_time: complete.CreationTime, ...odd };
    const template = { id: 'lt-b8v1kcyq', default_version: 1, versions: [1, version] };
    const region = { name: 'ap-guangzhou', launch_templates: [template] };
    const emulator = await createEmulator({
      scenario: { accounts: [{ name: 'a', regions: [region] }] },
    });

    const { response } = ask(emulator, { ...versionsQuery, 'LaunchTemplateVersions.0': 2 });

    expect(response.LaunchTemplateVersionSet).toEqual([row]);
  });

  test('of a template may be empty, too', async () => {
    const template = { id: 'lt-b8v1kcyq', default_version: 1, versions: [1], omit: 'all' as const };
    const region = { name: 'ap-guangzhou', launch_templates: [template] };
    const emulator = await createEmulator({
      scenario: { accounts: [{ name: 'a', regions: [region] }] },
    });

    const { response } = ask(emulator, { ...quotaQuery, Action: 'DescribeLaunchTemplates' });

    expect(response.LaunchTemplateSet).toEqual([{}]);
  });
});

test('the data of a version is what the scenario says, and the rest as in the sample', async () => {
  const emulator = await createEmulator();
  const place = { region: 'ap-guangzhou', template_id: 'lt-b8v1kcyq' };

  emulator.do({
    do: 'create-version',
    ...place,
    data: { ImageId: 'img-new', UserData: 'c2VjcmV0' },
  });

  const { response } = ask(emulator, { ...versionsQuery, 'LaunchTemplateVersions.0': 2 });
  expect(response.LaunchTemplateVersionSet[0].LaunchTemplateVersionData).toMatchObject({
    ImageId: 'img-new',
    UserData: 'c2VjcmV0',
    InstanceType: 'S5.16XLARGE256',
  });
});

const upTo30 = numbers.filter((number) => number <= 30).reverse();

describe('a selection', () => {
  test.each([
    // MaxVersion's default of 30 hides the versions beyond it; Limit's default is 20.
    { ask: {}, total: upTo30.length, numbers: upTo30.slice(0, 20) },
    { ask: { Offset: 20 }, total: upTo30.length, numbers: upTo30.slice(20) },
    { ask: { Offset: 2, Limit: 3 }, total: upTo30.length, numbers: upTo30.slice(2, 5) },
    { ask: { Offset: 999 }, total: upTo30.length, numbers: [] },
    { ask: { Limit: 100 }, total: upTo30.length, numbers: upTo30 },
    {
      ask: { Limit: 100, MaxVersion: 1000 },
      total: numbers.length,
      numbers: [...numbers].reverse(),
    },
    { ask: { Limit: 1, MaxVersion: 1000 }, total: numbers.length, numbers: [47] },
    { ask: { MinVersion: 2, MaxVersion: 10 }, total: 3, numbers: [10, 5, 2] },
    { ask: { MinVersion: 31, MaxVersion: 47, Limit: 2 }, total: 5, numbers: [47, 34] },
    { ask: { MinVersion: 31 }, total: 0, numbers: [] },
    { ask: { MinVersion: 5, MaxVersion: 2 }, total: 0, numbers: [] },
    { ask: { DefaultVersion: 'true' }, total: 1, numbers: [47] },
    { ask: { DefaultVersion: 'True', MaxVersion: 30 }, total: 0, numbers: [] },
    { ask: { DefaultVersion: 'false', Limit: 1 }, total: upTo30.length, numbers: [30] },
    {
      ask: { 'LaunchTemplateVersions.0': 2, 'LaunchTemplateVersions.1': 47 },
      total: 2,
      numbers: [47, 2],
    },
    {
      ask: { 'LaunchTemplateVersions.0': 2, 'LaunchTemplateVersions.1': 2 },
      total: 1,
      numbers: [2],
    },
    {
      ask: { 'LaunchTemplateVersions.0': 2, 'LaunchTemplateVersions.1': 5, Limit: 1, Offset: 1 },
      total: 2,
      numbers: [2],
    },
    {
      ask: Object.fromEntries(upTo30.map((n, index) => [`LaunchTemplateVersions.${index}`, n])),
      total: upTo30.length,
      numbers: upTo30,
    },
  ])('$ask', async ({ ask: parameters, total, numbers: expected }) => {
    const emulator = await createEmulator({ scenario: scenario() });

    expect(versions(emulator, parameters)).toEqual({ total, numbers: expected });
  });
});

describe('where the behaviour of the service is not published', () => {
  const all = { MaxVersion: 1000, Limit: 100 };

  test('versions can come oldest first', async () => {
    const emulator = await createEmulator({
      scenario: scenario({ version_order: 'oldest-first' }),
    });

    expect(versions(emulator, all).numbers).toEqual(numbers);
  });

  test('the bounds of a range can be left out of it', async () => {
    const emulator = await createEmulator({ scenario: scenario({ version_range: 'exclusive' }) });

    expect(versions(emulator, { MinVersion: 2, MaxVersion: 10 }).numbers).toEqual([5]);
  });

  test('TotalCount can count every version of the template', async () => {
    const emulator = await createEmulator({ scenario: scenario({ total_count: 'all' }) });

    expect(versions(emulator, { DefaultVersion: 'true' }).total).toBe(numbers.length);
  });

  test.each(['MinVersion', 'MaxVersion', 'Offset', 'Limit', 'DefaultVersion'])(
    'a list of versions can exclude %s',
    async (name) => {
      const emulator = await createEmulator({ scenario: scenario({ version_list: 'exclusive' }) });
      const value = name === 'DefaultVersion' ? 'false' : 1;
      const list = { ...versionsQuery, 'LaunchTemplateVersions.0': 1 };

      expect(ask(emulator, list).code).toBeNull();
      expect(ask(emulator, { ...list, [name]: value }).code).toBe('InvalidParameterCombination');
    },
  );
});

test('DescribeLaunchTemplates tells the default and the latest version of each template', async () => {
  const emulator = await createEmulator({ scenario: scenario() });
  const place = { region: 'ap-guangzhou', template_id: 'lt-b8v1kcyq' };
  emulator.do({ do: 'set-default-version', ...place, version: 5 });

  const { response } = ask(emulator, { ...quotaQuery, Action: 'DescribeLaunchTemplates' });

  expect(response).toMatchObject({
    TotalCount: 1,
    LaunchTemplateSet: [
      {
        LaunchTemplateId: 'lt-b8v1kcyq',
        LaunchTemplateName: 'template',
        DefaultVersionNumber: 5,
        LatestVersionNumber: 47,
        LaunchTemplateVersionCount: numbers.length,
        CreatedBy: '100',
      },
    ],
  });
});
