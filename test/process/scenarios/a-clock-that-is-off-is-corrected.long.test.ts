/** The clock of the machine is off by more than the service accepts: requests are signed with its time. */
import { expect, test } from 'vitest';
import { configOf, preload, run, startDaemon } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const keys = { TENCENTCLOUD_SECRET_ID: 'id', TENCENTCLOUD_SECRET_KEY: 'key' };

test.each([-2, 2])(
  'A clock that is %i hours off is noticed once, and polls succeed',
  async (hours) => {
    const process = {
      env: { ...keys, CLOCK_AHEAD_MS: String(hours * 3_600_000) },
      nodeFlags: [preload('shifted-clock')],
    };
    const service = await startService();
    service.account('keyed', { secretId: 'id', secretKey: 'key' }).region('ap-guangzhou');
    const config = configOf(service, {
      poll: { schedule: '0 0 1 1 *' },
      account: { credentials: { type: 'environment' } },
    });
    const daemon = await startDaemon({ config, ...process });

    const samples = await daemon.metrics();
    expect(samples.value('cvm_monitor_target_up')).toBe(1);
    expect(service.requests.map(({ outcome }) => outcome)).toEqual([
      'AuthFailure.SignatureExpire',
      'ok',
    ]);
    const skew = samples.value('cvm_monitor_clock_skew_seconds');
    expect(Math.round(skew! / 3600)).toBe(hours);
    await daemon.logged("requests are signed with the service's time: check the clock");

    const { code } = await run('check', { config, ...process });
    expect(code).toBe(0);
  },
);
