/** A service that checks signatures takes all three, and a wrong key is the failure that it is. */
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { configOf, run, startDaemon } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const keys = { secretId: 'example-id', secretKey: 'example-key' };
const env = { TENCENTCLOUD_SECRET_ID: 'example-id', TENCENTCLOUD_SECRET_KEY: 'example-key' };
const account = { name: 'signed', credentials: { type: 'environment' } };
/** Every parameter of both operations takes part. */
const regions = [
  { name: 'ap-guangzhou', zones: ['ap-guangzhou-3'], launch_templates: ['lt-b8v1kcyq'] },
];

async function startSigned() {
  const service = await startService();
  const region = service.account('signed', keys).region('ap-guangzhou');
  region.createTemplate('lt-b8v1kcyq', { versions: [1, 2], default: 1 });
  return service;
}

test.each(['tc3', 'hmac-sha256', 'hmac-sha1'] as const)(
  'Requests that are signed with %s are taken',
  async (signature) => {
    const service = await startSigned();
    const config = configOf(service, { account, api: { signature }, regions });
    const daemon = await startDaemon({ config, env });

    const samples = await daemon.cycle();
    expect(samples.matching('cvm_monitor_target_up').map(({ value }) => value)).toEqual([1, 1]);
    for (const request of service.requests) {
      expect(request).toMatchObject({ signature, account: 'signed', outcome: 'ok' });
    }
  },
);

test('A wrong key fails with SignatureFailure, an unknown one with SecretIdNotFound, and neither is on any surface', async () => {
  const service = await startSigned();
  const config = configOf(service, {
    account,
    api: { max_attempts: 1 },
    regions: ['ap-guangzhou'],
  });
  const wrong = { ...env, TENCENTCLOUD_SECRET_KEY: 'wrong-key-of-the-test' };
  const daemon = await startDaemon({ config, env: wrong });
  const code = 'AuthFailure.SignatureFailure';
  const samples = await daemon.cycle();
  expect(samples.value('cvm_monitor_poll_failures_total', { code })).toBeGreaterThan(0);
  for (const path of ['/', '/metrics', '/api/v1/targets']) {
    expect(await daemon.text(path)).not.toContain('wrong-key-of-the-test');
  }
  expect(daemon.everything()).not.toContain('wrong-key-of-the-test');
  await observe(daemon, 'with a wrong key', { json: ['/api/v1/targets'] });

  const unknown = { ...env, TENCENTCLOUD_SECRET_ID: 'nobody' };
  const { code: exit, stdout } = await run('check', { config, env: unknown });
  expect(exit).toBe(3);
  expect(stdout).toContain('AuthFailure.SecretIdNotFound');
});

test('A session token is sent with the key', async () => {
  const service = await startService();
  service.account('signed', { ...keys, token: 'session-token' }).region('ap-guangzhou');
  const config = configOf(service, { account, regions: ['ap-guangzhou'] });

  for (const signature of ['tc3', 'hmac-sha1']) {
    const { code } = await run('check', {
      config: { ...config, api: { endpoint: service.url, signature } },
      env: { ...env, TENCENTCLOUD_TOKEN: 'session-token' },
    });
    expect(code).toBe(0);
  }
  expect(service.requests.map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
});
