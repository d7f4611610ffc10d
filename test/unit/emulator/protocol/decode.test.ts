import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEmulator, startEmulator } from '../../../../src/emulator/emulator.ts';
import { ask, queryOf, quotaQuery, send, versionsQuery } from '../../../helpers/ask.ts';

const post = (body: string) => ({
  method: 'POST',
  headers: {
    'x-tc-action': 'DescribeLaunchTemplateVersions',
    'x-tc-version': '2017-03-12',
    'x-tc-region': 'ap-guangzhou',
  },
  body,
});

describe('what is given twice is refused', () => {
  test.each(['Action', 'Version', 'Region'] as const)('%s in a query', async (name) => {
    const emulator = await createEmulator();
    const query = `${queryOf(quotaQuery)}&${name}=${quotaQuery[name]}`;

    expect(send(emulator, { query }).code).toBe('InvalidParameter');
  });

  test('Region in a query and a form', async () => {
    const emulator = await createEmulator();
    const request = { method: 'POST', query: queryOf(quotaQuery), body: 'Region=ap-shanghai' };

    expect(send(emulator, request).code).toBe('InvalidParameter');
  });

  test('a long text is read to its end', async () => {
    const emulator = await createEmulator();
    const long = JSON.stringify('"\\'.repeat(2_000_000));

    expect(send(emulator, post(`{"Colour":${long}}`)).code).toBe('UnknownParameter');
  });

  test('but not the same key in two objects, or in a text', async () => {
    const emulator = await createEmulator();
    const values = (value: string) => ({ Name: 'zone', Values: [value] });
    const request = post(
      JSON.stringify({ Filters: [values('"Name":"Name":'), values('ap-guangzhou-3')] }),
    );

    const asked = send(emulator, {
      ...request,
      headers: { ...request.headers, 'x-tc-action': 'DescribeAccountQuota' },
    });

    expect(asked.code).toBe('InvalidZone.MismatchRegion');
  });
});

test('an Authorization that is not for the service leaves a request alone', async () => {
  const emulator = await createEmulator();

  const { code, response } = ask(emulator, versionsQuery, { authorization: 'Basic dTpw' });

  expect([code, response.TotalCount]).toEqual([null, 1]);
});

describe('a whole URL as the target', () => {
  test('is taken, as by a proxy', async () => {
    const emulator = await startEmulator();
    onTestFinished(emulator.close);
    const socket = connect(Number(new URL(emulator.url).port), '127.0.0.1');

    socket.write(
      `GET http://cvm.tencentcloudapi.com?${queryOf(quotaQuery)} HTTP/1.1\r\n` +
        'Host: elsewhere.example\r\nConnection: close\r\n\r\n',
    );

    expect(await text(socket)).toContain('"AppId":251007416');
  });

  test('reaches the control API', async () => {
    const emulator = await createEmulator();

    const { status } = emulator.handle({
      method: 'GET',
      target: 'http://127.0.0.1:10043/_emulator/state',
      headers: {},
    });

    expect(status).toBe(200);
  });

  test('says the product by its host', async () => {
    const emulator = await createEmulator();

    const { body } = emulator.handle({
      method: 'GET',
      target: `http://cbs.tencentcloudapi.com/?${queryOf(quotaQuery)}`,
      headers: { host: 'cvm.tencentcloudapi.com' },
    });

    expect(body).toContain('NoSuchProduct');
  });
});
