/** A recording of an emulator with keys, by the official SDK in both forms, and its replay. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cvm } from 'tencentcloud-sdk-nodejs-cvm';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  startEmulator,
  startRecorder,
  startReplay,
  type RunningEmulator,
  type ScenarioInput,
} from '../../src/emulator/emulator.ts';
import { temporaryDirectory } from '../helpers/directories.ts';

const region = 'ap-guangzhou';
const templateId = 'lt-b8v1kcyq';
const appId = 1251000417;
const key = { secret_id: 'recorder-id', secret_key: 'recorder-key' };

const scenario: ScenarioInput = {
  accounts: [
    {
      name: 'production',
      app_id: appId,
      keys: [key],
      regions: [
        {
          name: region,
          zones: [{ name: 'ap-guangzhou-3', postpaid: { used: 96, limit: 288 } }],
          launch_templates: [
            {
              id: templateId,
              name: 'payments frontend',
              default_version: 1,
              versions: [
                {
                  version: 1,
                  description: 'first of payments',
                  data: {
                    ImageId: 'img-8toqc6s3',
                    InstanceName: 'payments',
                    UserData: 'c2VjcmV0IG9mIHRoZSBtYWNoaW5l',
                    LoginSettings: { Password: 'hunter2', KeyIds: ['skey-12345678'] },
                  },
                },
                2,
              ],
            },
          ],
        },
      ],
    },
  ],
};

type Sdk = InstanceType<typeof cvm.v20170312.Client>;

/** The client signs with an unknown key: the recorder signs for itself, and the replay not at all. */
function sdkFor(url: string, reqMethod: 'GET' | 'POST', signMethod: string): Sdk {
  return new cvm.v20170312.Client({
    credential: { secretId: 'any-id', secretKey: 'any-key' },
    region,
    profile: {
      signMethod: signMethod as 'HmacSHA1',
      httpProfile: { protocol: 'http://', endpoint: url.replace('http://', ''), reqMethod },
    },
  });
}

interface Version {
  readonly LaunchTemplateId: string;
  readonly LaunchTemplateVersion: number;
  readonly IsDefaultVersion: boolean;
  readonly LaunchTemplateVersionData: Readonly<Record<string, unknown>>;
}

/** The versions of a template, the newest first. */
async function versionsOf(sdk: Sdk, id: string): Promise<readonly Version[]> {
  const answer = await sdk.request('DescribeLaunchTemplateVersions', { LaunchTemplateId: id });
  return answer.LaunchTemplateVersionSet;
}

async function usedOf(sdk: Sdk): Promise<number> {
  const answer = await sdk.request('DescribeAccountQuota', {
    Filters: [{ Name: 'zone', Values: ['ap-guangzhou-3'] }],
  });
  return answer.AccountQuotaOverview.AccountQuota.PostPaidQuotaSet[0].UsedQuota;
}

describe.each([
  ['GET', 'HmacSHA1'],
  ['POST', 'HmacSHA256'],
  ['GET', 'TC3-HMAC-SHA256'],
  ['POST', 'TC3-HMAC-SHA256'],
] as const)('a recording by the official SDK with %s and %s', (method, signing) => {
  let directory: string;
  let upstream: RunningEmulator;

  const record = async (use: (sdk: Sdk) => Promise<void>): Promise<void> => {
    const credentials = { secretId: key.secret_id, secretKey: key.secret_key, token: null };
    const recorder = await startRecorder({ directory, upstream: upstream.url, credentials });
    await use(sdkFor(recorder.url, method, signing));
    await recorder.close();
  };

  const replay = async (): Promise<Sdk> => {
    const { url, close } = await startReplay({ directory });
    onTestFinished(close);
    return sdkFor(url, method, signing);
  };

  const files = (): readonly string[] =>
    readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));

  /** The pseudonym of the template, as a user finds it in the recording. */
  const recordedTemplate = (): string =>
    /"LaunchTemplateId": "(lt-[0-9a-z]+)"/.exec(files().join('\n'))?.[1] ?? '';

  beforeEach(async () => {
    directory = await temporaryDirectory();
    upstream = await startEmulator({ scenario });
    onTestFinished(upstream.close);
  });

  test('gives the client the answers of the service, as they are', async () => {
    await record(async (sdk) => {
      expect(await usedOf(sdk)).toBe(96);
      const [, first] = await versionsOf(sdk, templateId);
      expect(first).toMatchObject({
        LaunchTemplateId: templateId,
        LaunchTemplateVersionData: { ImageId: 'img-8toqc6s3' },
      });
    });
  });

  test('answers again in the same order, and repeats the last answer', async () => {
    await record(async (sdk) => {
      await usedOf(sdk);
      await usedOf(sdk);
      upstream.state.setUsed({
        region,
        quotaType: 'postpaid',
        zone: 'ap-guangzhou-3',
        used: 280,
      });
      await usedOf(sdk);
      await versionsOf(sdk, templateId);
    });
    await upstream.close();

    const sdk = await replay();
    const used = [];
    for (let poll = 0; poll < 4; poll += 1) used.push(await usedOf(sdk));
    expect(used).toEqual([96, 96, 280, 280]);

    const versions = await versionsOf(sdk, recordedTemplate());
    expect(
      versions.map(({ LaunchTemplateVersion: version, IsDefaultVersion: isDefault }) => [
        version,
        isDefault,
      ]),
    ).toEqual([
      [2, false],
      [1, true],
    ]);
  });

  test('contains no account number, ID, name, text or secret of the account', async () => {
    await record(async (sdk) => {
      await usedOf(sdk);
      await versionsOf(sdk, templateId);
      await versionsOf(sdk, 'lt-00000000').catch(() => undefined);
      await sdk.request('DescribeLaunchTemplates', {
        Filters: [{ Name: 'LaunchTemplateName', Values: ['payments frontend'] }],
      });
    });

    const text = files().join('\n');
    expect(text).not.toMatch(
      /1251000417|b8v1kcyq|lt-00000000|8toqc6s3|he88kvqu|payments|c2VjcmV0|hunter2|skey-|recorder-|any-|does not exist/,
    );
    expect(text).toContain('"Code": "InvalidParameterValue.LaunchTemplateIdNotExisted"');
    expect(text).toContain('"TotalQuota": 288');
  });

  test('gives the same pseudonym to the same value, in requests and in answers', async () => {
    await record(async (sdk) => {
      await versionsOf(sdk, templateId);
      await sdk.request('DescribeLaunchTemplates', { LaunchTemplateIds: [templateId] });
    });

    const found = files().flatMap((text) => [...text.matchAll(/"(lt-[0-9a-z]{8})"/g)]);
    expect(new Set(found.map(([, id]) => id)).size).toBe(1);
    expect(found.length).toBeGreaterThanOrEqual(4);
  });

  test('refuses a request that was not recorded', async () => {
    await record((sdk) => usedOf(sdk).then(() => undefined));

    const sdk = await replay();
    await expect(versionsOf(sdk, templateId)).rejects.toMatchObject({ code: 'ResourceNotFound' });
  });
});

describe('a recorder', () => {
  test('needs an empty directory', async () => {
    const directory = await temporaryDirectory();
    const upstream = await startEmulator();
    onTestFinished(upstream.close);
    const recorder = await startRecorder({ directory, upstream: upstream.url });
    await fetch(`${recorder.url}/?Action=DescribeAccountQuota&Version=2017-03-12&Region=${region}`);
    await recorder.close();

    await expect(startRecorder({ directory, upstream: upstream.url })).rejects.toThrow('not empty');
  });

  test('answers InternalError while the service cannot be reached, and records nothing', async () => {
    const directory = await temporaryDirectory();
    const gone = await startEmulator();
    await gone.close();
    const recorder = await startRecorder({ directory, upstream: gone.url });
    onTestFinished(recorder.close);

    const answer = await fetch(`${recorder.url}/?Action=DescribeAccountQuota&Version=2017-03-12`);
    expect(await answer.json()).toMatchObject({ Response: { Error: { Code: 'InternalError' } } });
    expect(readdirSync(directory)).toEqual([]);
  });

  test('passes on what does not come from the service, and records nothing of it', async () => {
    const directory = await temporaryDirectory();
    const upstream = await startEmulator();
    upstream.faults.add({ effect: 'http-status', status: 502 });
    onTestFinished(upstream.close);
    const recorder = await startRecorder({ directory, upstream: upstream.url });
    onTestFinished(recorder.close);

    const answer = await fetch(`${recorder.url}/?Action=DescribeAccountQuota&Version=2017-03-12`);
    expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('<html>')]);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('keeps every answer to requests that run side by side', async () => {
    const directory = await temporaryDirectory();
    const upstream = await startEmulator();
    onTestFinished(upstream.close);
    const recorder = await startRecorder({ directory, upstream: upstream.url });
    onTestFinished(recorder.close);

    const query = `Action=DescribeAccountQuota&Version=2017-03-12&Region=${region}`;
    await Promise.all(Array.from({ length: 12 }, () => fetch(`${recorder.url}/?${query}`)));

    const [name = ''] = readdirSync(directory);
    const recorded: { answers: { times: number }[] } = JSON.parse(
      readFileSync(join(directory, name), 'utf8'),
    );
    expect(recorded.answers.map(({ times }) => times)).toEqual([12]);
  });
});

test('a directory without a recording cannot be replayed', async () => {
  const directory = await temporaryDirectory();
  await expect(startReplay({ directory })).rejects.toThrow('contains no recording');
  await expect(startReplay({ directory: join(directory, 'gone') })).rejects.toThrow('ENOENT');
});
