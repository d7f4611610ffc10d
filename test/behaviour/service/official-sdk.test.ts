/** The official SDK, unmodified, against the emulator. */
import { cvm } from 'tencentcloud-sdk-nodejs-cvm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  startEmulator,
  type RunningEmulator,
  type ScenarioInput,
} from '../../../src/emulator/emulator.ts';

type ContractOperation = 'DescribeAccountQuota' | 'DescribeLaunchTemplateVersions';

interface ClientConnection {
  /** The emulator's URL, without a slash at its end. */
  readonly url: string;
  readonly region: string;
  readonly secretId: string;
  readonly secretKey: string;
}

type ClientResult =
  | { readonly ok: true; readonly response: unknown }
  | { readonly ok: false; readonly code: string; readonly requestId: string };

/** A client under test. */
interface ClientAdapter {
  /** Names the client, and the way it signs and sends. */
  readonly name: string;
  /**
   * Calls an operation once.
   *
   * @param parameters the operation's own, nested as in the official SDK
   * @returns the fields of `Response`, or what the service refused with
   */
  readonly call: (
    connection: ClientConnection,
    operation: ContractOperation,
    parameters: Readonly<Record<string, unknown>>,
  ) => Promise<ClientResult>;
}

const region = 'ap-guangzhou';
const zones = ['ap-guangzhou-3', 'ap-guangzhou-4'] as const;
const templateId = 'lt-b8v1kcyq';
const numbers = [1, 2, 5, ...Array.from({ length: 25 }, (_, n) => n + 10), 47];
const defaultVersion = 12;

const scenario: ScenarioInput = {
  requests_per_second: 1_000_000,
  accounts: [
    {
      name: 'keyed',
      app_id: 4_711,
      keys: [{ secret_id: 'example-id', secret_key: 'example-key' }],
      regions: [
        {
          name: region,
          zones: zones.map((name, n) => ({
            name,
            postpaid: { used: n + 1, limit: 100 },
            prepaid: { used: n + 2, limit: 200, once_limit: 300 },
            spotpaid: { used: n + 3, limit: 400 },
          })),
          image: { used: 6, limit: 10 },
          disaster_recover_group: { used: 7, limit: 10 },
          launch_templates: [
            { id: templateId, default_version: defaultVersion, versions: numbers },
          ],
        },
      ],
    },
  ],
};

const zoneFilter = { Name: 'zone', Values: [zones[1]] };
const typeFilter = { Name: 'quota-type', Values: ['PostPaidQuotaSet', 'PrePaidQuotaSet'] };

/** Parameters, and which zones and sets they select; everything where nothing is said. */
const quotaCases = [
  { parameters: {} },
  { parameters: { Filters: [] } },
  { parameters: { Filters: [zoneFilter] }, zones: [zones[1]] },
  { parameters: { Filters: [{ Name: 'zone', Values: zones }] } },
  { parameters: { Filters: [typeFilter] }, sets: ['PostPaidQuotaSet', 'PrePaidQuotaSet'] },
  {
    parameters: { Filters: [zoneFilter, typeFilter] },
    zones: [zones[1]],
    sets: ['PostPaidQuotaSet', 'PrePaidQuotaSet'],
  },
  {
    parameters: { Filters: [{ Name: 'quota-type', Values: ['ImageQuotaSet'] }] },
    sets: ['ImageQuotaSet'],
  },
];

const upTo30 = numbers.filter((number) => number <= 30).reverse();

const versionCases = [
  { parameters: {}, total: upTo30.length, expected: upTo30.slice(0, 20) },
  { parameters: { Offset: 20, Limit: 5 }, total: upTo30.length, expected: upTo30.slice(20, 25) },
  {
    parameters: { MinVersion: 0, MaxVersion: 1_000_000, Limit: 100, Offset: 0 },
    total: numbers.length,
    expected: [...numbers].reverse(),
  },
  { parameters: { MinVersion: 2, MaxVersion: 10 }, total: 3, expected: [10, 5, 2] },
  { parameters: { DefaultVersion: true }, total: 1, expected: [defaultVersion] },
  { parameters: { LaunchTemplateVersions: [5, 47] }, total: 2, expected: [47, 5] },
  {
    parameters: { LaunchTemplateVersions: [], DefaultVersion: true },
    total: 1,
    expected: [defaultVersion],
  },
  {
    parameters: { LaunchTemplateVersions: [] },
    total: upTo30.length,
    expected: upTo30.slice(0, 20),
  },
];

const refusals: readonly {
  readonly code: string;
  readonly operation: ContractOperation;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly connection?: Partial<ClientConnection>;
}[] = [
  {
    code: 'InvalidParameterValue.LaunchTemplateIdNotExisted',
    operation: 'DescribeLaunchTemplateVersions',
    parameters: { LaunchTemplateId: 'lt-00000000' },
  },
  {
    code: 'InvalidParameterCombination',
    operation: 'DescribeLaunchTemplateVersions',
    parameters: {
      LaunchTemplateId: templateId,
      LaunchTemplateVersions: [1],
      DefaultVersion: true,
    },
  },
  {
    code: 'InvalidParameterValue',
    operation: 'DescribeLaunchTemplateVersions',
    parameters: { LaunchTemplateId: templateId, Limit: 101 },
  },
  {
    code: 'InvalidZone.MismatchRegion',
    operation: 'DescribeAccountQuota',
    parameters: { Filters: [{ Name: 'zone', Values: ['ap-shanghai-1'] }] },
  },
  {
    code: 'InvalidFilter',
    operation: 'DescribeAccountQuota',
    parameters: { Filters: [{ Name: 'größe', Values: ['a b+c&d=e/~*!()'] }] },
  },
  {
    code: 'UnsupportedRegion',
    operation: 'DescribeAccountQuota',
    connection: { region: 'ap-singapore' },
  },
  {
    code: 'AuthFailure.SignatureFailure',
    operation: 'DescribeAccountQuota',
    connection: { secretKey: 'another-key' },
  },
  {
    code: 'AuthFailure.SecretIdNotFound',
    operation: 'DescribeAccountQuota',
    connection: { secretId: 'another-id' },
  },
];

/** Runs the whole contract with a client. */
function describeClient(client: ClientAdapter): void {
  describe(client.name, () => {
    let emulator: RunningEmulator;
    let connection: ClientConnection;

    beforeAll(async () => {
      emulator = await startEmulator({ scenario });
      const { url } = emulator;
      connection = { url, region, secretId: 'example-id', secretKey: 'example-key' };
    });

    afterAll(() => emulator.close());

    test.each(quotaCases)('DescribeAccountQuota $parameters', async (selected) => {
      const { parameters } = selected;

      const result = await client.call(connection, 'DescribeAccountQuota', parameters);

      expect(result).toMatchObject({
        ok: true,
        response: {
          AppId: 4_711,
          AccountQuotaOverview: { Region: region, AccountQuota: expectedSets(emulator, selected) },
        },
      });
    });

    test.each(versionCases)(
      'DescribeLaunchTemplateVersions $parameters',
      async ({ parameters, total, expected }) => {
        const all = { LaunchTemplateId: templateId, ...parameters };

        const result = await client.call(connection, 'DescribeLaunchTemplateVersions', all);

        expect(result).toMatchObject({
          ok: true,
          response: {
            TotalCount: total,
            LaunchTemplateVersionSet: expected.map((version) => ({
              LaunchTemplateVersion: version,
              LaunchTemplateId: templateId,
              IsDefaultVersion: version === defaultVersion,
              LaunchTemplateVersionData: { Placement: { Zone: zones[0] }, InstanceCount: 1 },
            })),
          },
        });
      },
    );

    test.each(refusals)('fails with $code', async (refusal) => {
      const { code, operation, parameters = {} } = refusal;

      const result = await client.call(
        { ...connection, ...refusal.connection },
        operation,
        parameters,
      );

      const received = emulator.requests.list().at(-1);
      expect(received?.code).toBe(code);
      expect(result).toMatchObject({ ok: false, code, requestId: received?.request_id });
    });

    test('fails with the code of a fault', async () => {
      emulator.faults.add({ effect: 'error', code: 'InternalError', count: 1 });

      const result = await client.call(connection, 'DescribeAccountQuota', {});

      const requestId = emulator.requests.list().at(-1)?.request_id;
      expect(result).toMatchObject({ ok: false, code: 'InternalError', requestId });
    });
  });
}

/** What the state says of the selected zones and sets. */
function expectedSets(
  emulator: RunningEmulator,
  selected: { readonly zones?: readonly string[]; readonly sets?: readonly string[] },
) {
  const { image, disaster_recover_group: groups, zones: all } = emulator.state.region({ region });
  const zonal = (type: 'postpaid' | 'prepaid' | 'spotpaid') =>
    all
      .filter(({ name }) => selected.zones?.includes(name) ?? true)
      .map(({ name, [type]: quota }) => ({
        Zone: name,
        UsedQuota: quota?.used,
        TotalQuota: quota?.limit,
        RemainingQuota: (quota?.limit ?? 0) - (quota?.used ?? 0),
      }));
  const sets = {
    PostPaidQuotaSet: zonal('postpaid'),
    PrePaidQuotaSet: zonal('prepaid').map((row) => ({ ...row, OnceQuota: 300 })),
    SpotPaidQuotaSet: zonal('spotpaid'),
    ImageQuotaSet: [{ UsedQuota: image?.used, TotalQuota: image?.limit }],
    DisasterRecoverGroupQuotaSet: [{ CurrentNum: groups?.used, GroupQuota: groups?.limit }],
  };
  return Object.fromEntries(
    Object.entries(sets).map(([name, rows]) => [
      name,
      selected.sets?.includes(name) === false ? [] : rows,
    ]),
  );
}

const signMethods = ['TC3-HMAC-SHA256', 'HmacSHA256', 'HmacSHA1'] as const;
const httpMethods = ['GET', 'POST'] as const;

function officialSdk(
  signMethod: (typeof signMethods)[number],
  reqMethod: (typeof httpMethods)[number],
): ClientAdapter {
  return {
    name: `the official SDK, ${signMethod}, ${reqMethod}`,
    call: async ({ url, region, secretId, secretKey }, operation, parameters) => {
      const client = new cvm.v20170312.Client({
        credential: { secretId, secretKey },
        region,
        profile: {
          signMethod,
          httpProfile: { protocol: 'http://', endpoint: url.replace('http://', ''), reqMethod },
        },
      });
      try {
        return { ok: true, response: await client.request(operation, parameters) };
      } catch (error) {
        const { code, requestId } = error as { code: string; requestId: string };
        return { ok: false, code, requestId };
      }
    },
  };
}

for (const signMethod of signMethods) {
  for (const httpMethod of httpMethods) describeClient(officialSdk(signMethod, httpMethod));
}
