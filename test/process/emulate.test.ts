import { describe, expect, test } from 'vitest';
import { runCommand, startCommand } from '../support/command-line.ts';
import { takenAddress } from '../support/taken-address.ts';

describe('emulate', () => {
  test('serves the scenario of the demo until it is stopped', async () => {
    const command = startCommand('emulate', '--web.listen-address=127.0.0.1:0');
    const [, url = ''] = await command.shows(/ url=(\S+)/);

    const response = await fetch(
      `${url}/?Action=DescribeAccountQuota&Version=2017-03-12&Region=ap-shanghai`,
    );
    command.signal('SIGTERM');

    expect(await response.json()).toMatchObject({
      Response: { AccountQuotaOverview: { Region: 'ap-shanghai' } },
    });
    expect((await command.result).code).toBe(0);
  });

  test.each([
    ['--web.listen-address=127.0.0.1:0', '127.0.0.1'],
    ['--web.listen-address=:0', '[::]'],
    ['--web.listen-address=0.0.0.0:0', '0.0.0.0'],
  ])('with %j, logs that it listens on %s', async (flag, address) => {
    const command = startCommand('emulate', flag);

    const [, url = ''] = await command.shows(/ url=(\S+)/);
    command.signal('SIGTERM');

    expect(new URL(url).hostname).toBe(address);
    expect((await command.result).code).toBe(0);
  });

  test('names a taken port', async () => {
    const address = await takenAddress();

    const { code, stderr } = await runCommand('emulate', `--web.listen-address=${address}`);

    expect(code).toBe(1);
    expect(stderr).toContain(`cannot listen on ${address}: the port is taken`);
  });
});
