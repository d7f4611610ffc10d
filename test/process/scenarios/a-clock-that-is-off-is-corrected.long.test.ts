/** The clock of the machine is off by more than the service accepts: requests are signed with its time. */
import { expect, test } from 'vitest';
import { configOf, run, startDaemon } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const env = { TENCENTCLOUD_SECRET_ID: 'id', TENCENTCLOUD_SECRET_KEY: 'key' };

/** Flags that set the clock of a process ahead, or back. */
const shifted = (hours: number) => [
  `--import=data:text/javascript,${encodeURIComponent(`
    const Real = Date;
    const now = Real.now;
    Real.now = () => now() + ${hours * 3_600_000};
    globalThis.Date = class extends Real {
      constructor(...given) { super(...(given.length === 0 ? [Real.now()] : given)); }
    };
  `)}`,
];

test.each([-2, 2])(
  'A clock that is %i hours off is noticed once, and polls succeed',
  async (hours) => {
    const service = await startService();
    service.account('keyed', { secretId: 'id', secretKey: 'key' }).region('ap-guangzhou');
    const config = configOf(service, {
      poll: { schedule: '0 0 1 1 *' },
      account: { credentials: { type: 'environment' } },
    });
    const daemon = await startDaemon({ config, env, nodeFlags: shifted(hours) });

    const samples = await daemon.metrics();
    expect(samples.value('cvm_monitor_target_up')).toBe(1);
    expect(service.requests.map(({ outcome }) => outcome)).toEqual([
      'AuthFailure.SignatureExpire',
      'ok',
    ]);
    const skew = samples.value('cvm_monitor_clock_skew_seconds');
    expect(Math.round(skew! / 3600)).toBe(hours);
    await daemon.logged("requests are signed with the service's time: check the clock");

    const { code } = await run('check', { config, env, nodeFlags: shifted(hours) });
    expect(code).toBe(0);
  },
);
