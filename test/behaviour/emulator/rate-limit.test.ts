/** How many of the 200 requests that each case sends in a second are answered. */
import { expect, test } from 'vitest';
import {
  createEmulator,
  createManualClock,
  type ScenarioInput,
} from '../../../src/emulator/emulator.ts';
import { ask, quotaQuery } from '../../support/ask.ts';
import { tc3Headers } from '../../support/sign.ts';

const timestamp = 1_700_000_000;

const key = (id: string) => ({ secret_id: id, secret_key: 'key' });
const signed = (secretId: string, action: string, host = '127.0.0.1', more = {}) => ({
  ...tc3Headers({ host, secretId, secretKey: 'key', timestamp, action, ...more }),
  host,
});

const scaling = { service: 'as', version: '2018-04-19' };

async function start(changes: Partial<ScenarioInput> = {}) {
  const accounts = [
    { name: 'a', keys: [key('one'), key('two')], regions: [{ name: 'ap-guangzhou' }] },
  ];
  const clock = createManualClock(timestamp * 1000);
  const emulator = await createEmulator({ clock, scenario: { accounts, ...changes } });
  const answered = (headers: Record<string, string>) =>
    Array.from({ length: 200 }, () =>
      emulator.handle({ method: 'GET', target: '/', headers }),
    ).filter(({ body }) => !body.includes('RequestLimitExceeded')).length;
  return { clock, emulator, answered };
}

test.each([
  ['DescribeAccountQuota', 20, {}],
  ['DescribeZoneInstanceConfigInfos', 40, {}],
  ['DescribeDisasterRecoverGroups', 10, {}],
  ['InquiryPriceRunInstances', 10, {}],
  ['DescribeSubnets', 100, { service: 'vpc' }],
  ['DescribeDiskConfigQuota', 20, { service: 'cbs' }],
  ['DescribeAutoScalingGroups', 40, scaling],
  ['DescribeLaunchConfigurations', 20, scaling],
  ['DescribeAutoScalingActivities', 20, scaling],
])('%s is answered %i times in a second', async (action, limit, more) => {
  const { answered } = await start();

  expect(answered(signed('one', action, '127.0.0.1', more))).toBe(limit);
});

test('each key, gateway and operation has a rate limit of its own', async () => {
  const { answered } = await start();
  const nearest = 'cvm.tencentcloudapi.com';
  const shanghai = 'cvm.ap-shanghai.tencentcloudapi.com';

  expect([
    answered(signed('one', 'DescribeZones', nearest)),
    answered(signed('one', 'DescribeZones', shanghai)),
    answered(signed('two', 'DescribeZones', nearest)),
    answered(signed('one', 'DescribeImageQuota', nearest)),
    answered(signed('one', 'DescribeZones', nearest)),
  ]).toEqual([20, 20, 20, 20, 0]);
});

test('a rate limit can be set for one operation, or for all', async () => {
  const { answered: one } = await start({ requests_per_second: { DescribeZones: 3 } });
  const { answered: all } = await start({ requests_per_second: 7 });
  const zones = signed('one', 'DescribeZones');
  const stock = signed('one', 'DescribeZoneInstanceConfigInfos');

  expect([one(zones), one(stock), all(zones), all(stock)]).toEqual([3, 40, 7, 7]);
});

test('the windows of a rate limit are whole seconds of the clock, by arrival', async () => {
  const { answered, clock, emulator } = await start();
  const zones = signed('one', 'DescribeZones');
  clock.advance(999);
  const before = answered(zones);
  clock.advance(1);
  const next = answered(zones);

  emulator.advance('1s');

  expect([before, next, answered(zones)]).toEqual([20, 20, 20]);
});

test('the answer to a request beyond the rate limit has its number, for each further one', async () => {
  const emulator = await createEmulator({ clock: createManualClock() });
  const answers = Array.from({ length: 22 }, () => ask(emulator, quotaQuery));

  expect(answers.slice(20)).toMatchObject([
    {
      status: 200,
      code: 'RequestLimitExceeded',
      message:
        'Your current request times equals to `21` in a second, which exceeds the frequency limit `20` for a second. Please reduce the frequency of calls.',
    },
    { message: expect.stringContaining('equals to `22` in a second') },
  ]);
});
