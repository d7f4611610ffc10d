/** An endpoint without encryption, in the log and on the page. check-config: `test/behaviour/config/network.test.ts`. */
import { expect, test } from 'vitest';
import { recordingLogger } from '../../support/loggers.ts';
import { accountOf, startMonitor } from '../../support/monitor.ts';

async function startWith(stsEndpoint: string) {
  const { lines, logger } = recordingLogger();
  const monitor = await startMonitor({
    logger,
    env: { TENCENTCLOUD_SECRET_ID: 'an-id', TENCENTCLOUD_SECRET_KEY: 'a-key' },
    config: ({ endpoint }) => ({
      api: { endpoint, sts_endpoint: stsEndpoint },
      accounts: [{ ...accountOf('a', ['ap-guangzhou']), credentials: { type: 'environment' } }],
    }),
  });
  const page = await (await monitor.get('/')).text();
  return { page, warnings: lines.filter(({ level }) => level === 'warn') };
}

test('an http endpoint with keys is in the log, and on the page', async () => {
  const { page, warnings } = await startWith('http://sts.example');

  expect(warnings).toContainEqual(
    expect.objectContaining({
      message: 'the configuration is dangerous',
      fields: { warning: expect.stringMatching(/^api\.sts_endpoint is http:/) as unknown },
    }),
  );
  expect(page).toMatch(
    /class="trouble warning" role="alert">\s*<strong>The configuration is dangerous\./,
  );
});

test('an http endpoint on the same machine is no danger', async () => {
  const { page, warnings } = await startWith('http://127.0.0.1:1');

  expect(warnings.map(({ message }) => message)).not.toContain('the configuration is dangerous');
  expect(page).not.toContain('The configuration is dangerous.');
});
