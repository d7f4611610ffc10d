import { expect, test } from 'vitest';
import { createEmulator } from '../../../../src/emulator/emulator.ts';
import { ask, queryOf, quotaQuery, send, versionsQuery } from '../../../support/ask.ts';

const post = (body: string) => ({
  method: 'POST',
  headers: {
    'x-tc-action': 'DescribeLaunchTemplateVersions',
    'x-tc-version': '2017-03-12',
    'x-tc-region': 'ap-guangzhou',
  },
  body,
});

test.each(['Action', 'Version', 'Region'] as const)(
  '%s twice in a query is refused',
  async (name) => {
    const emulator = await createEmulator();
    const query = `${queryOf(quotaQuery)}&${name}=${quotaQuery[name]}`;

    expect(send(emulator, { query }).code).toBe('InvalidParameter');
  },
);

test('Region in a query and in a form is refused', async () => {
  const emulator = await createEmulator();
  const request = { method: 'POST', query: queryOf(quotaQuery), body: 'Region=ap-shanghai' };

  expect(send(emulator, request).code).toBe('InvalidParameter');
});

test('a long text in a request is read to its end', async () => {
  const emulator = await createEmulator();
  const long = JSON.stringify('"\\'.repeat(2_000_000));

  expect(send(emulator, post(`{"Colour":${long}}`)).code).toBe('UnknownParameter');
});

test('the same key in two objects, or in a text, is not refused as given twice', async () => {
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

test('an Authorization that is not for the service leaves a request alone', async () => {
  const emulator = await createEmulator();

  const { code, response } = ask(emulator, versionsQuery, { authorization: 'Basic dTpw' });

  expect([code, response.TotalCount]).toEqual([null, 8]);
});
