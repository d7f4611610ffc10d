import { expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { sampleScenario } from '../../support/sample-scenario.ts';
import { ask, quotaQuery, versionsQuery } from '../../support/ask.ts';
import { rowsOf } from '../../support/rows.ts';

const template = { region: 'ap-guangzhou', template_id: 'lt-b8v1kcyq' };

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

async function start() {
  const emulator = await createEmulator({ scenario: sampleScenario });
  const control = (method: string, path: string, order?: unknown): Answer => {
    const { status, contentType, body } = emulator.handle({
      method,
      target: `/_emulator${path}`,
      headers: { host: '127.0.0.1' },
      body: new TextEncoder().encode(typeof order === 'string' ? order : JSON.stringify(order)),
    });
    expect(contentType).toBe('application/json');
    return { status, body: JSON.parse(body) };
  };
  return { emulator, control, changes: () => control('GET', '/changes').body.changes as unknown };
}

test('the state is changed by a list of actions, the changes are listed, and a reset undoes them', async () => {
  const { emulator, control, changes } = await start();

  control('POST', '/state', [
    { do: 'create-version', ...template },
    { do: 'set-default-version', ...template, version: 'latest' },
  ]);

  expect(changes()).toMatchObject([
    { kind: 'version-created', template_id: 'lt-b8v1kcyq', new_value: 2 },
    { kind: 'default-version-changed', old_value: 1, new_value: 2 },
  ]);
  const { response } = ask(emulator, { ...versionsQuery, DefaultVersion: 'true' });
  expect(response.LaunchTemplateVersionSet[0].LaunchTemplateVersion).toBe(2);

  control('POST', '/faults', { effect: 'hang' });
  control('POST', '/reset');
  expect(ask(emulator, versionsQuery).response.TotalCount).toBe(1);
  expect(changes()).toEqual([]);
});

test.each(rowsOf<[string, unknown, string]>('emulator', 'orders-that-change-nothing'))(
  'the state is not changed by %s',
  async (_what, order, reason) => {
    const { control, changes } = await start();

    const { status, body } = control('POST', '/state', order);

    expect(status).toBe(400);
    expect(body.error).toMatch(new RegExp(reason));
    expect(changes()).toEqual([]);
  },
);

test.each(['data', 'fields'])('%s of any content are at most 32 levels deep', async (key) => {
  const { control } = await start();
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const create = (levels: number) => {
    const order = JSON.stringify({ do: 'create-version', ...template, [key]: null });
    return control('POST', '/state', order.replace('null', nested(levels)));
  };

  expect(create(32).status).toBe(200);
  for (const levels of [33, 100_000]) {
    expect(create(levels)).toEqual({
      status: 400,
      body: { error: `action: ${key}: is nested too deeply` },
    });
  }
  expect(control('GET', '/state').status).toBe(200);
});

test('faults are applied to the service alone, listed and cleared', async () => {
  const { emulator, control } = await start();
  const fault = { effect: 'error', code: 'InternalError', count: 2 };

  expect(control('POST', '/faults', fault).status).toBe(200);
  expect(ask(emulator, quotaQuery).code).toBe('InternalError');
  expect(control('GET', '/faults').body.faults).toMatchObject([{ ...fault, struck: 1 }]);

  expect(control('DELETE', '/faults')).toEqual({ status: 200, body: { cleared: 1 } });
  expect(ask(emulator, quotaQuery).code).toBeNull();
});

test('requests are listed with what they asked for and were answered, until they are deleted', async () => {
  const { emulator, control } = await start();
  const { requestId } = ask(emulator, quotaQuery);
  ask(emulator, { ...versionsQuery, Limit: '0' });

  expect(control('GET', '/requests').body).toMatchObject({
    total: 2,
    requests: [
      {
        request_id: requestId,
        method: 'GET',
        operation: 'DescribeAccountQuota',
        account: 'sample',
        region: 'ap-guangzhou',
        parameters: {},
        code: null,
      },
      {
        operation: 'DescribeLaunchTemplateVersions',
        parameters: { LaunchTemplateId: 'lt-b8v1kcyq', Limit: '0' },
        code: 'InvalidParameterValue',
      },
    ],
  });
  expect(control('DELETE', '/requests').body).toEqual({ cleared: 2 });
  expect(control('GET', '/requests').body).toEqual({ total: 0, requests: [] });
});

test.each([
  ['GET', '/nope'],
  ['GET', '/state/nope'],
  ['DELETE', '/faults/%E0%A4'],
  ['PUT', '/faults'],
])('there is no %s %s', async (method, path) => {
  const { control } = await start();

  expect(control(method, path)).toEqual({
    status: 404,
    body: { error: `there is no ${method} /_emulator${path}; see /_emulator/` },
  });
  expect(control('GET', '').status).toBe(200);
});
