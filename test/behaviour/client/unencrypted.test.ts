/** An endpoint without encryption, in the log and on the page. check-config: `test/behaviour/config/network.test.ts`. */
import { expect, test } from 'vitest';
import { accountOf, startWatch } from '../../support/monitor.ts';

const startWith = (type: 'environment' | 'none') =>
  startWatch({
    env: { TENCENTCLOUD_SECRET_ID: 'an-id', TENCENTCLOUD_SECRET_KEY: 'a-key' },
    accounts: [{ ...accountOf('a', ['ap-guangzhou']), credentials: { type } }],
  });

test('an http endpoint with keys is in the log, and on the page', async () => {
  const { get, lines } = await startWith('environment');

  expect(lines.filter(({ message }) => message === 'the configuration is dangerous')).toMatchObject(
    [
      {
        level: 'warn',
        fields: { warning: expect.stringMatching(/^api\.endpoint is http:/) as unknown },
      },
    ],
  );
  expect(await (await get('/')).text()).toContain('The configuration is dangerous.');
});

test('an http endpoint without keys is no danger', async () => {
  const { get, logged } = await startWith('none');

  expect(logged('the configuration is dangerous')).toEqual([]);
  expect(await (await get('/')).text()).not.toContain('The configuration is dangerous.');
});
