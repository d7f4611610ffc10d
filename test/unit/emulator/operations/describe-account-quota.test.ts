import { describe, expect, test } from 'vitest';
import {
  createEmulator,
  type Emulator,
  type ScenarioInput,
} from '../../../../src/emulator/emulator.ts';
import { ask, quotaQuery, send } from '../../../helpers/ask.ts';

const zone3 = 'ap-guangzhou-3';
const zone4 = 'ap-guangzhou-4';

function scenario(behaviour: ScenarioInput['behaviour'] = {}): ScenarioInput {
  return {
    requests_per_second: 1_000_000,
    behaviour,
    accounts: [
      {
        name: 'a',
        regions: [
          {
            name: 'ap-guangzhou',
            zones: [
              {
                name: zone3,
                postpaid: { limit: 1 },
                prepaid: { limit: 2 },
                spotpaid: { limit: 3 },
              },
              { name: zone4, postpaid: { limit: 4 } },
            ],
            image: { limit: 5 },
            disaster_recover_group: { limit: 6 },
          },
        ],
      },
    ],
  };
}

/** What is in each set, as zones or as the number of rows. */
function sets(emulator: Emulator, filters: readonly (readonly [string, ...string[]])[] = []) {
  const parameters: Record<string, string> = Object.fromEntries(
    filters.flatMap(([name, ...values], n): [string, string][] => [
      [`Filters.${n}.Name`, name],
      ...values.map((value, m): [string, string] => [`Filters.${n}.Values.${m}`, value]),
    ]),
  );
  const { code, response } = ask(emulator, { ...quotaQuery, ...parameters });
  expect(code).toBeNull();
  const quota = response.AccountQuotaOverview.AccountQuota as Record<
    string,
    { Zone?: string }[] | null
  >;
  return Object.fromEntries(
    Object.entries(quota).map(([name, rows]) => [
      name.replace('QuotaSet', ''),
      rows?.map((row) => row.Zone ?? 'region') ?? null,
    ]),
  );
}

test('a request with only the common parameters answers the official sample', async () => {
  const emulator = await createEmulator();

  const { status, response } = ask(emulator, quotaQuery);

  expect(status).toBe(200);
  expect(response).toEqual({
    AccountQuotaOverview: {
      Region: 'ap-guangzhou',
      AccountQuota: {
        PostPaidQuotaSet: [
          { UsedQuota: 0, RemainingQuota: 288, TotalQuota: 288, Zone: zone3 },
          { UsedQuota: 2, RemainingQuota: 1248, TotalQuota: 1250, Zone: zone4 },
        ],
        DisasterRecoverGroupQuotaSet: [
          {
            CvmInRackGroupQuota: 30,
            GroupQuota: 10,
            CvmInHostGroupQuota: 50,
            CurrentNum: 0,
            CvmInSwitchGroupQuota: 20,
          },
        ],
        PrePaidQuotaSet: [
          { UsedQuota: 0, OnceQuota: 300, Zone: zone3, TotalQuota: 255, RemainingQuota: 255 },
          { UsedQuota: 0, OnceQuota: 300, Zone: zone4, TotalQuota: 222, RemainingQuota: 222 },
        ],
        SpotPaidQuotaSet: [
          { UsedQuota: 0, RemainingQuota: 244, TotalQuota: 244, Zone: zone3 },
          { UsedQuota: 4, RemainingQuota: 195, TotalQuota: 199, Zone: zone4 },
        ],
        ImageQuotaSet: [{ UsedQuota: 0, TotalQuota: 10 }],
      },
    },
    RequestId: expect.any(String),
    AppId: 251007416,
  });
});

test('what is used beyond the limit leaves less than nothing', async () => {
  const emulator = await createEmulator();
  const place = { region: 'ap-guangzhou', zone: zone3, quota_type: 'postpaid' } as const;

  emulator.do({ do: 'set-used', ...place, used: 300 });

  const { response } = ask(emulator, quotaQuery);
  expect(response.AccountQuotaOverview.AccountQuota.PostPaidQuotaSet[0]).toMatchObject({
    UsedQuota: 300,
    RemainingQuota: -12,
    TotalQuota: 288,
  });
});

const everything = {
  PostPaid: [zone3, zone4],
  PrePaid: [zone3],
  SpotPaid: [zone3],
  Image: ['region'],
  DisasterRecoverGroup: ['region'],
};
const nothing = { PostPaid: [], PrePaid: [], SpotPaid: [], Image: [], DisasterRecoverGroup: [] };

describe('filters', () => {
  test.each([
    { filters: [], expected: everything },
    {
      filters: [['zone', zone4]],
      expected: { ...everything, PostPaid: [zone4], PrePaid: [], SpotPaid: [] },
    },
    { filters: [['zone', zone3, zone4]], expected: everything },
    {
      filters: [['quota-type', 'PostPaidQuotaSet']],
      expected: { ...nothing, PostPaid: [zone3, zone4] },
    },
    {
      filters: [['quota-type', 'PrePaidQuotaSet', 'SpotPaidQuotaSet']],
      expected: { ...nothing, PrePaid: [zone3], SpotPaid: [zone3] },
    },
    {
      filters: [['quota-type', 'DisasterRecoverGroupQuotaSet']],
      expected: { ...nothing, DisasterRecoverGroup: ['region'] },
    },
    { filters: [['quota-type', 'ImageQuotaSet']], expected: { ...nothing, Image: ['region'] } },
    {
      filters: [
        ['quota-type', 'PostPaidQuotaSet'],
        ['zone', zone4],
      ],
      expected: { ...nothing, PostPaid: [zone4] },
    },
    {
      filters: [
        ['zone', zone3],
        ['zone', zone4],
      ],
      expected: { ...everything, PostPaid: [], PrePaid: [], SpotPaid: [] },
    },
    {
      filters: [
        ['quota-type', 'PostPaidQuotaSet', 'ImageQuotaSet'],
        ['quota-type', 'ImageQuotaSet', 'SpotPaidQuotaSet'],
      ],
      expected: { ...nothing, Image: ['region'] },
    },
  ] satisfies { filters: [string, ...string[]][]; expected: unknown }[])(
    '$filters',
    async ({ filters, expected }) => {
      const emulator = await createEmulator({ scenario: scenario() });

      expect(sets(emulator, filters)).toEqual(expected);
    },
  );

  test('may begin at any index and come as JSON', async () => {
    const emulator = await createEmulator({ scenario: scenario() });
    const headers = {
      'x-tc-action': 'DescribeAccountQuota',
      'x-tc-version': '2017-03-12',
      'x-tc-region': 'ap-guangzhou',
      'content-type': 'application/json; charset=utf-8',
    };

    const asText = ask(emulator, {
      ...quotaQuery,
      'Filters.3.Name': 'quota-type',
      'Filters.3.Values.7': 'ImageQuotaSet',
    });
    const asJson = send(emulator, {
      method: 'POST',
      headers,
      body: '{"Filters":[{"Name":"quota-type","Values":["ImageQuotaSet"]}]}',
    });

    expect(asText.code).toBeNull();
    expect(asJson.response.AccountQuotaOverview).toEqual(asText.response.AccountQuotaOverview);
  });
});

describe('where the behaviour of the service is not published', () => {
  const postpaidOnly = [['quota-type', 'PostPaidQuotaSet']] as const;

  test('unselected sets can be absent', async () => {
    const behaviour = { unselected_quota_sets: 'absent' } as const;
    const emulator = await createEmulator({ scenario: scenario(behaviour) });

    expect(sets(emulator, postpaidOnly)).toEqual({ PostPaid: [zone3, zone4] });
  });

  test('unselected sets can be null', async () => {
    const behaviour = { unselected_quota_sets: 'null' } as const;
    const emulator = await createEmulator({ scenario: scenario(behaviour) });

    expect(sets(emulator, postpaidOnly)).toEqual({
      PostPaid: [zone3, zone4],
      PrePaid: null,
      SpotPaid: null,
      Image: null,
      DisasterRecoverGroup: null,
    });
  });

  test('a zone filter can leave the regional sets out', async () => {
    const behaviour = { zone_filter_keeps_regional_sets: false };
    const emulator = await createEmulator({ scenario: scenario(behaviour) });

    expect(sets(emulator, [['zone', zone4]])).toEqual({ ...nothing, PostPaid: [zone4] });
  });
});
