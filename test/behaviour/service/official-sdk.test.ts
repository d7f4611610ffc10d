/** The official SDK, unmodified, against the emulator: each operation, in each form of signing and sending. */
import { CommonClient } from 'tencentcloud-sdk-nodejs-common';
import { cvm } from 'tencentcloud-sdk-nodejs-cvm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  startEmulator,
  type RunningEmulator,
  type ScenarioInput,
} from '../../../src/emulator/emulator.ts';
import { fixtureOf, rowsOf } from '../../support/rows.ts';

const zone = 'ap-guangzhou-3';

let emulator: RunningEmulator;
beforeAll(async () => {
  emulator = await startEmulator({
    scenario: fixtureOf<ScenarioInput>('scenario/every-operation'),
  });
});
afterAll(() => emulator.close());

const filter = (Name: string, ...Values: string[]) => ({ Name, Values });

const calls = rowsOf<[action: string, parameters: object | null, expected: object]>(
  'emulator',
  'calls-of-the-official-sdk',
);

const versionsOfOthers: Readonly<Record<string, string>> = {
  DescribeSubnets: '2017-03-12',
  DescribeDiskConfigQuota: '2017-03-12',
  DescribeAutoScalingGroups: '2018-04-19',
  DescribeLaunchConfigurations: '2018-04-19',
  DescribeAutoScalingActivities: '2018-04-19',
};

const forms = (['TC3-HMAC-SHA256', 'HmacSHA256', 'HmacSHA1'] as const).flatMap((signMethod) =>
  (['GET', 'POST'] as const).map((reqMethod) => [signMethod, reqMethod] as const),
);
type Form = (typeof forms)[number];

function clientOf([signMethod, reqMethod]: Form, action: string, secretKey = 'example-key') {
  const endpoint = emulator.url.replace('http://', '');
  const options = {
    credential: { secretId: 'example-id', secretKey },
    region: action === 'DescribeRegions' ? '' : 'ap-guangzhou',
    profile: { signMethod, httpProfile: { protocol: 'http://', endpoint, reqMethod } },
  };
  // There is no package of vpc, cbs or as alone.
  const version = versionsOfOthers[action];
  return version === undefined
    ? new cvm.v20170312.Client(options)
    : new CommonClient(endpoint, version, options);
}

test.each(forms)('The official SDK gets what it asks for, by %s and %s', async (...form) => {
  for (const [action, parameters, expected] of calls) {
    const answer: unknown = await clientOf(form, action).request(action, parameters);

    expect(answer, `${action} ${JSON.stringify(parameters)}`).toMatchObject(expected);
  }
});

test.each(forms)('The official SDK gets the code of a refusal, by %s and %s', async (...form) => {
  const action = 'DescribeAccountQuota';
  const odd = { Filters: [filter('größe', 'a b+c&d=e/~*!()')] };
  const versionsOf = 'DescribeLaunchTemplateVersions';
  const leftOut = { LaunchTemplateId: undefined };
  const [price, groups] = ['InquiryPriceRunInstances', 'DescribeAutoScalingGroups'] as const;
  const deleted = { Placement: { Zone: zone }, ImageId: 'img-deleted0' };
  const refusals = [
    [clientOf(form, action), action, odd, 'InvalidFilter'],
    [clientOf(form, action, 'another-key'), action, {}, 'AuthFailure.SignatureFailure'],
    [clientOf(form, versionsOf), versionsOf, leftOut, 'MissingParameter'],
    [clientOf(form, price), price, deleted, 'InvalidImageId.NotFound'],
    [clientOf(form, groups), groups, { Limit: 101 }, 'InvalidParameterValue.LimitExceeded'],
  ] as const;

  for (const [client, asked, parameters, code] of refusals) {
    const error = await client.request(asked, parameters).catch((thrown: unknown) => thrown);

    const requestId = emulator.requests.list().at(-1)?.request_id;
    expect(error).toMatchObject({ code, requestId });
  }
});
