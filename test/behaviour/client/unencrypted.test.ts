/** An endpoint without encryption, in the log and on the page. check-config: `test/unit/config/network.test.ts`. */
import { expect, test } from 'vitest';
import { startMonitor } from '../../support/monitor.ts';
import { recordingLogger } from '../../support/loggers.ts';

const startWith = async (type: 'environment' | 'none') => {
  const { logger, lines } = recordingLogger();
  const monitor = await startMonitor({
    logger,
    env: { TENCENTCLOUD_SECRET_ID: 'an-id', TENCENTCLOUD_SECRET_KEY: 'a-key' },
    config: ({ endpoint }) => ({
      api: { endpoint },
      accounts: [{ name: 'a', credentials: { type }, regions: ['ap-guangzhou'] }],
    }),
  });
  const page = await (await monitor.get('/')).text();
  return {
    page,
    lines: lines.filter(({ message }) => message === 'the configuration is dangerous'),
  };
};

test('an http endpoint with keys is in the log, and on the page', async () => {
  const { lines, page } = await startWith('environment');

  expect(lines).toMatchObject([
    {
      level: 'warn',
      fields: { warning: expect.stringMatching(/^api\.endpoint is http:/) as unknown },
    },
  ]);
  expect(page).toContain('The configuration is dangerous.');
});

test('an http endpoint without keys is no danger', async () => {
  const { lines, page } = await startWith('none');

  expect(lines).toEqual([]);
  expect(page).not.toContain('The configuration is dangerous.');
});
