/** The example of the documentation, with the official SDK signing by the time of this machine. */
import { cvm } from 'tencentcloud-sdk-nodejs-cvm';
import { expect, onTestFinished, test } from 'vitest';
import {
  startEmulator,
  type RunningEmulator,
  type ScenarioInput,
} from '../../../src/emulator/emulator.ts';

const region = 'ap-guangzhou';

const scenario: ScenarioInput = {
  accounts: [
    {
      name: 'production',
      keys: [
        { secret_id: 'example-id', secret_key: 'example-key' },
        {
          secret_id: 'temporary-id',
          secret_key: 'temporary-key',
          token: 'example-token',
          valid_for: '30m',
        },
      ],
      regions: [{ name: region, image: { used: 1, limit: 10 } }],
    },
  ],
  timeline: [{ at: '20s', do: 'set-used', region, quota_type: 'image', used: 10 }],
};

function clientOf({ url }: RunningEmulator, credential: object) {
  return new cvm.v20170312.Client({
    credential,
    region,
    profile: { httpProfile: { protocol: 'http://', endpoint: url.replace('http://', '') } },
  });
}

async function imagesUsed(client: ReturnType<typeof clientOf>): Promise<number> {
  const { AccountQuotaOverview: overview } = await client.DescribeAccountQuota({});
  return overview!.AccountQuota!.ImageQuotaSet![0]!.UsedQuota!;
}

const permanent = { secretId: 'example-id', secretKey: 'example-key' };
const temporary = { secretId: 'temporary-id', secretKey: 'temporary-key', token: 'example-token' };

test('advance moves timeline and rate limit alike', async () => {
  const emulator = await startEmulator({ scenario });
  onTestFinished(emulator.close);
  const client = clientOf(emulator, permanent);
  const fifteen = () => Promise.all(Array.from({ length: 15 }, () => imagesUsed(client)));

  const before = await fifteen();
  emulator.advance('20s');
  const after = await fifteen();

  expect([before, after]).toEqual([Array(15).fill(1), Array(15).fill(10)]);
});

test('advance makes tokens expire, while signatures stay in time', async () => {
  const emulator = await startEmulator({ scenario });
  onTestFinished(emulator.close);

  emulator.advance('29m');
  await expect(imagesUsed(clientOf(emulator, temporary))).resolves.toBe(10);
  emulator.advance('60s');

  await expect(imagesUsed(clientOf(emulator, temporary))).rejects.toMatchObject({
    code: 'AuthFailure.TokenFailure',
  });
  await expect(imagesUsed(clientOf(emulator, permanent))).resolves.toBe(10);
});
