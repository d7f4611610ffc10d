/** The operations that say whether a launch can succeed, called by the official SDK. */
import { CommonClient } from 'tencentcloud-sdk-nodejs-common';
import { cvm } from 'tencentcloud-sdk-nodejs-cvm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../../src/emulator/emulator.ts';
import { tc3Headers } from '../../support/sign.ts';

const region = 'ap-guangzhou';
const key = { secretId: 'example-id', secretKey: 'example-key' };
const subnet = { id: 'subnet-bthucmmy', zone: 'ap-guangzhou-3', total: 253, available: 1 };
const type = { type: 'S5.LARGE8', cpu: 2, memory: 8 };

let emulator: RunningEmulator;
beforeAll(async () => {
  emulator = await startEmulator({
    scenario: {
      accounts: [
        {
          name: 'keyed',
          keys: [{ secret_id: key.secretId, secret_key: key.secretKey }],
          regions: [
            {
              name: region,
              zones: [{ name: 'ap-guangzhou-3', instance_types: [type] }],
              subnets: [subnet],
              image: { limit: 10 },
              disaster_recover_group: { used: 25, limit: 10 },
            },
          ],
        },
      ],
    },
  });
});
afterAll(() => emulator.close());

describe.each(
  (['TC3-HMAC-SHA256', 'HmacSHA256', 'HmacSHA1'] as const).flatMap((signMethod) =>
    (['GET', 'POST'] as const).map((method) => [signMethod, method] as const),
  ),
)('%s, %s', (signMethod, reqMethod) => {
  const options = () => ({
    credential: key,
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

  test('DescribeZoneInstanceConfigInfos', async () => {
    const client = new cvm.v20170312.Client(options());

    const { InstanceTypeQuotaSet: rows } = await client.DescribeZoneInstanceConfigInfos({
      Filters: [
        { Name: 'instance-type', Values: ['S5.LARGE8'] },
        { Name: 'instance-charge-type', Values: ['SPOTPAID'] },
      ],
    });

    expect(rows).toMatchObject([{ Status: 'SELL', StatusCategory: 'EnoughStock', Cpu: 2 }]);
  });

  test('DescribeImageQuota and DescribeDisasterRecoverGroupQuota', async () => {
    const client = new cvm.v20170312.Client(options());

    expect(await client.DescribeImageQuota(null)).toMatchObject({ ImageNumQuota: 10 });
    expect(await client.DescribeDisasterRecoverGroupQuota(null)).toMatchObject({
      GroupQuota: 10,
      CurrentNum: 25,
    });
  });

  test('DescribeSubnets of vpc', async () => {
    const client = new CommonClient(
      options().profile.httpProfile.endpoint,
      '2017-03-12',
      options(),
    );

    const answer: unknown = await client.request('DescribeSubnets', {
      SubnetIds: [subnet.id],
      Limit: '100',
    });

    expect(answer).toMatchObject({
      TotalCount: 1,
      SubnetSet: [{ SubnetId: subnet.id, AvailableIpAddressCount: 1 }],
    });
  });
});

const vpcHost = 'vpc.tencentcloudapi.com';
test.each([
  ['its own', vpcHost, 'vpc', null],
  ['another', vpcHost, 'cvm', 'AuthFailure.SignatureFailure'],
  ['its own, at the host of another', 'cvm.tencentcloudapi.com', 'vpc', 'InvalidAction'],
  ['its own, at an address', '127.0.0.1:1', 'vpc', null],
  ['the label of an address', '127.0.0.1:1', '127', null],
  ['another, at an address', '127.0.0.1:1', 'cvm', 'AuthFailure.SignatureFailure'],
])('a signature for %s service at %s, %s, is answered with %s', (_name, host, service, code) => {
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = tc3Headers({ ...key, host, service, timestamp, action: 'DescribeSubnets' });

  const { body } = emulator.handle({ method: 'GET', target: '/', headers });

  const { Response: response } = JSON.parse(body) as { Response: { Error?: { Code: string } } };
  expect(response.Error?.Code ?? null).toBe(code);
});
