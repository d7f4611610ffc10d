/** The clock of the machine is off by more than the service accepts: requests are signed with its time. */
import { expect, test } from 'vitest';
import { accountWith, asked, emulateAccounts, key } from '../../support/emulator.ts';
import { configOf, preload, run, startDaemon } from '../../support/program.ts';

const env = { TENCENTCLOUD_SECRET_ID: 'id', TENCENTCLOUD_SECRET_KEY: 'key' };

test.each([-2, 2])(
  'A clock that is %i hours off is noticed once, and polls succeed',
  async (hours) => {
    const process = {
      env: { ...env, CLOCK_AHEAD_MS: String(hours * 3_600_000) },
      nodeFlags: [preload('shifted-clock')],
    };
    const keys = [key('id', 'key')];
    const emulator = await emulateAccounts([accountWith('keyed', ['ap-guangzhou'], { keys })]);
    const config = configOf(emulator, {
      poll: { schedule: '0 0 1 1 *' },
      account: { credentials: { type: 'environment' } },
    });
    const daemon = await startDaemon({ config, ...process });

    const samples = await daemon.metrics();
    expect(samples.value('cvm_monitor_target_up')).toBe(1);
    expect(asked(emulator).map(({ code }) => code)).toEqual(['AuthFailure.SignatureExpire', null]);
    const skew = samples.value('cvm_monitor_clock_skew_seconds');
    expect(Math.round(skew! / 3600)).toBe(hours);
    await daemon.logged("requests are signed with the service's time: check the clock");

    const { code } = await run('check', { config, ...process });
    expect(code).toBe(0);
  },
);
