/** The operations with which clients find regions, zones and templates, called by the official SDK. */
import { cvm } from 'tencentcloud-sdk-nodejs-cvm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  startEmulator,
  type RunningEmulator,
  type ScenarioInput,
} from '../../../src/emulator/emulator.ts';

const template = (id: string, others: object) => ({
  id,
  default_version: 1,
  versions: [1, 2, 7],
  ...others,
});

const scenario: ScenarioInput = {
  requests_per_second: 1_000_000,
  accounts: [
    {
      name: 'keyed',
      keys: [{ secret_id: 'example-id', secret_key: 'example-key' }],
      regions: [
        {
          name: 'ap-guangzhou',
          zones: [{ name: 'ap-guangzhou-3' }, { name: 'ap-guangzhou-4', state: 'UNAVAILABLE' }],
          launch_templates: [
            template('lt-web00001', { name: 'web "größe"', tags: { env: 'prod', team: 'web' } }),
            template('lt-web00002', { name: 'web', tags: { env: 'test' } }),
            template('lt-none0003', { name: 'batch' }),
          ],
        },
        { name: 'ap-seoul', state: 'UNAVAILABLE' },
      ],
    },
  ],
};

const signings = ['TC3-HMAC-SHA256', 'HmacSHA256', 'HmacSHA1'] as const;
const methods = ['GET', 'POST'] as const;

let emulator: RunningEmulator;
beforeAll(async () => {
  emulator = await startEmulator({ scenario });
});
afterAll(() => emulator.close());

describe.each(
  signings.flatMap((signMethod) => methods.map((method) => [signMethod, method] as const)),
)('%s, %s', (signMethod, reqMethod) => {
  const client = (region = 'ap-guangzhou') =>
    new cvm.v20170312.Client({
      credential: { secretId: 'example-id', secretKey: 'example-key' },
      region,
      profile: {
        signMethod,
        httpProfile: {
          protocol: 'http://',
          endpoint: emulator.url.replace('http://', ''),
          reqMethod,
        },
      },
    });

  test.each(['', 'ap-guangzhou'])('DescribeRegions from the region "%s"', async (region) => {
    const answer = await client(region).DescribeRegions(null);

    expect(answer).toMatchObject({
      TotalCount: 2,
      RegionSet: [
        { Region: 'ap-guangzhou', RegionState: 'AVAILABLE' },
        { Region: 'ap-seoul', RegionState: 'UNAVAILABLE' },
      ],
    });
  });

  test('DescribeZones', async () => {
    const answer = await client().DescribeZones(null);

    expect(answer).toMatchObject({
      TotalCount: 2,
      ZoneSet: [
        { Zone: 'ap-guangzhou-3', ZoneId: '100003', ZoneState: 'AVAILABLE' },
        { Zone: 'ap-guangzhou-4', ZoneId: '100004', ZoneState: 'UNAVAILABLE' },
      ],
    });
  });

  test('DescribeLaunchTemplates, all of them', async () => {
    const answer = await client().DescribeLaunchTemplates({});

    expect(answer).toMatchObject({
      TotalCount: 3,
      LaunchTemplateSet: [
        {
          LaunchTemplateId: 'lt-web00001',
          LaunchTemplateName: 'web "größe"',
          DefaultVersionNumber: 1,
          LatestVersionNumber: 7,
          LaunchTemplateVersionCount: 3,
        },
        { LaunchTemplateId: 'lt-web00002' },
        { LaunchTemplateId: 'lt-none0003' },
      ],
    });
  });

  const filters = (name: string, ...values: string[]) => ({
    Filters: [{ Name: name, Values: values }],
  });

  test.each([
    [{ LaunchTemplateIds: ['lt-none0003', 'lt-web00001'] }, ['lt-none0003', 'lt-web00001']],
    [{ LaunchTemplateIds: [], Limit: 1, Offset: 1 }, ['lt-web00002']],
    [filters('LaunchTemplateName', 'web "größe"', 'batch'), ['lt-web00001', 'lt-none0003']],
    [filters('tag-key', 'env'), ['lt-web00001', 'lt-web00002']],
    [filters('tag-value', 'web', 'test'), ['lt-web00001', 'lt-web00002']],
    [filters('tag:env', 'prod'), ['lt-web00001']],
    [
      { Filters: [...filters('tag-key', 'env').Filters, ...filters('tag:env', 'test').Filters] },
      ['lt-web00002'],
    ],
  ])('DescribeLaunchTemplates %j', async (parameters, ids) => {
    const { LaunchTemplateSet: set } = await client().DescribeLaunchTemplates(parameters);

    expect(set?.map((row) => row.LaunchTemplateId)).toEqual(ids);
  });

  test.each([
    [
      { LaunchTemplateIds: ['lt-web00001'], ...filters('tag-key', 'env') },
      'InvalidParameterCombination',
    ],
    [{ LaunchTemplateIds: ['web'] }, 'InvalidParameterValue.LaunchTemplateIdMalformed'],
    [{ LaunchTemplateIds: ['lt-00000000'] }, 'InvalidParameterValue.LaunchTemplateNotFound'],
    [filters('colour', 'red'), 'InvalidFilter'],
    [filters('tag-key', 'a', 'b', 'c', 'd', 'e', 'f'), 'InvalidFilterValue.LimitExceeded'],
  ])('DescribeLaunchTemplates %j is refused', async (parameters, code) => {
    await expect(client().DescribeLaunchTemplates(parameters)).rejects.toMatchObject({ code });
  });
});
