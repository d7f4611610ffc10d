import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { emulate } from '../../../src/commands/emulate.ts';
import { silentLogger, type Logger } from '../../../src/logging/logger.ts';

test('emulate serves the demo scenario until it is stopped', async () => {
  const stop = new AbortController();
  let done = Promise.resolve();
  const url = await new Promise<string>((resolve) => {
    const info: Logger['info'] = (_message, fields) => {
      if (typeof fields?.url === 'string') resolve(fields.url);
    };
    const logger = { ...silentLogger, info };
    done = emulate({ listenAddress: '127.0.0.1:0', logger, signal: stop.signal });
  });

  const response = await fetch(
    `${url}/?Action=DescribeAccountQuota&Version=2017-03-12&Region=ap-shanghai`,
  );
  stop.abort();
  await done;

  expect(await response.json()).toMatchObject({
    Response: { AppId: 1251000417, AccountQuotaOverview: { Region: 'ap-shanghai' } },
  });
  await expect(fetch(url)).rejects.toThrow();
});

test('a taken port is named, with the flag that chooses another', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => squatter.once('listening', resolve));
  const { port } = squatter.address() as AddressInfo;
  const listenAddress = `127.0.0.1:${port}`;

  const done = emulate({
    listenAddress,
    logger: silentLogger,
    signal: AbortSignal.abort(),
  });

  await expect(done).rejects.toThrow(
    `cannot listen on ${listenAddress}: the port is taken; choose another with --web.listen-address`,
  );
  squatter.close();
});
