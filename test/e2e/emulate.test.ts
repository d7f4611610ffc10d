import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand, startCommand } from '../helpers/command-line.ts';
import { temporaryDirectory } from '../helpers/directories.ts';
import { takenAddress } from '../helpers/taken-address.ts';

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

  test('names a taken port', async () => {
    const address = await takenAddress();

    const { code, stderr } = await runCommand('emulate', `--web.listen-address=${address}`);

    expect(code).toBe(1);
    expect(stderr).toContain(`cannot listen on ${address}: the port is taken`);
  });

  test('records a service, and replays it after the service is gone', async () => {
    const directory = join(await temporaryDirectory(), 'recording');
    const start = async (...flags: string[]) => {
      const command = startCommand('emulate', '--web.listen-address=127.0.0.1:0', ...flags);
      const [, url = ''] = await command.shows(/ url=(\S+)/);
      const ask = async (): Promise<unknown> => {
        const query = 'Action=DescribeRegions&Version=2017-03-12&Region=ap-guangzhou';
        const answer = await fetch(`${url}/?${query}`);
        const body = (await answer.json()) as { Response: Readonly<Record<string, unknown>> };
        return body.Response.TotalCount;
      };
      return { ...command, url, ask };
    };
    const service = await start();
    const recorder = await start(`--record=${directory}`, `--upstream=${service.url}`);
    const recorded = await recorder.ask();
    service.signal('SIGTERM');
    recorder.signal('SIGTERM');
    expect([await service.result, await recorder.result]).toMatchObject([{ code: 0 }, { code: 0 }]);

    const replay = await start(`--replay=${directory}`);

    expect(recorded).toBe(3);
    expect(await replay.ask()).toBe(recorded);
  });

  test.each([
    [['--record=recording'], '--upstream'],
    [['--replay=recording', '--scenario=scenario.yaml'], 'only one of'],
    [['--record=recording', '--upstream=ftp://x'], 'https://'],
    [['--record=recording', '--upstream=https://user:hunter2@x'], 'password'],
    [['--replay=no-such-directory'], 'no-such-directory: the directory cannot be used'],
  ])('refuses %j', async (flags, reason) => {
    const { code, stderr } = await runCommand('emulate', ...flags);

    expect(code).toBe(1);
    expect(stderr).toContain(reason);
    expect(stderr).not.toMatch(/^ +at |hunter2/m);
  });
});
