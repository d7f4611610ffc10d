import { expect, test } from 'vitest';
import { createEmulator, createManualClock } from '../../../../src/emulator/emulator.ts';
import { send } from '../../../helpers/ask.ts';
import { tc3Headers } from '../../../helpers/sign.ts';

test('a signature is checked with the key of its own access key, day and service', async () => {
  const clock = createManualClock(1_700_000_000_000);
  const keys = ['a', 'b'].map((name) => ({ secret_id: name, secret_key: `key-${name}` }));
  const regions = [{ name: 'ap-guangzhou' }];
  const scenario = { accounts: [{ name: 'keyed', keys, regions }] };
  const emulator = await createEmulator({ clock, scenario });
  const ask = (secretId: string, secretKey: string, service = 'cvm') => {
    const timestamp = clock.now() / 1_000;
    const action = 'DescribeAccountQuota';
    const signed = tc3Headers({ host: 'h', timestamp, action, secretId, secretKey, service });
    return send(emulator, { headers: signed }).code;
  };

  expect([ask('a', 'key-a'), ask('b', 'key-b'), ask('a', 'key-a')]).toEqual([null, null, null]);
  expect(ask('a', 'key-b')).toBe('AuthFailure.SignatureFailure');
  expect([ask('a', 'key-a', 'sts'), ask('a', 'key-a')]).toEqual([null, null]);
  clock.advance(24 * 60 * 60 * 1_000);
  expect([ask('a', 'key-a'), ask('b', 'key-b')]).toEqual([null, null]);
});
