import { request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../../../src/emulator/emulator.ts';
import { sampleScenario } from '../../../support/sample-scenario.ts';
import { askedOf, queryOf, quotaQuery, versionsQuery, type Asked } from '../../../support/ask.ts';

let emulator: RunningEmulator;

beforeEach(async () => {
  emulator = await startEmulator({
    scenario: {
      ...sampleScenario,
      timeline: [
        {
          at: '1h',
          do: 'set-limit',
          region: 'ap-guangzhou',
          quota_type: 'image',
          limit: 20,
        },
      ],
    },
  });
});

afterEach(() => emulator.close());

async function control(method: 'GET' | 'POST' | 'DELETE' | 'PUT', path: string, body?: unknown) {
  const answer = await request(`${emulator.url}/_emulator${path}`, {
    method,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  expect(answer.headers['content-type']).toBe('application/json');
  // oxlint-disable-next-line typescript/no-explicit-any
  return { status: answer.statusCode, body: (await answer.body.json()) as any };
}

async function ask(parameters: Readonly<Record<string, string>>): Promise<Asked> {
  const { statusCode, body } = await request(`${emulator.url}/?${queryOf(parameters)}`);
  return askedOf(statusCode, await body.text());
}

const template = { region: 'ap-guangzhou', template_id: 'lt-b8v1kcyq' };

test('the root lists every route', async () => {
  const { status, body } = await control('GET', '/');

  expect(status).toBe(200);
  const routes = body.routes as { method: string; path: string; does: string }[];
  expect(routes.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /_emulator/state',
    'POST /_emulator/state',
    'GET /_emulator/changes',
    'POST /_emulator/time',
    'POST /_emulator/reset',
    'GET /_emulator/faults',
    'POST /_emulator/faults',
    'DELETE /_emulator/faults',
    'DELETE /_emulator/faults/:id',
    'GET /_emulator/requests',
    'DELETE /_emulator/requests',
  ]);
});

test('the state is answered in the words of a scenario', async () => {
  const { body } = await control('GET', '/state');

  expect(body.accounts[0].regions[0]).toMatchObject({
    name: 'ap-guangzhou',
    zones: [
      { name: 'ap-guangzhou-3', prepaid: { used: 0, limit: 255, once_limit: 300 } },
      { name: 'ap-guangzhou-4', postpaid: { used: 2, limit: 1250 } },
    ],
    image: { used: 0, limit: 10 },
    launch_templates: [
      {
        id: 'lt-b8v1kcyq',
        default_version: 1,
        versions: [{ version: 1, creation_time: '2020-12-17T01:54:31Z' }],
      },
    ],
  });
});

test('the state is changed by a list of actions, and the changes are listed', async () => {
  await control('POST', '/state', [
    { do: 'create-version', ...template },
    { do: 'set-default-version', ...template, version: 'latest' },
  ]);

  const { body } = await control('GET', '/changes');
  const { response } = await ask({ ...versionsQuery, DefaultVersion: 'true' });

  expect(body.changes).toMatchObject([
    { kind: 'version-created', template_id: 'lt-b8v1kcyq', new_value: 2 },
    { kind: 'default-version-changed', old_value: 1, new_value: 2 },
  ]);
  expect(response.LaunchTemplateVersionSet[0].LaunchTemplateVersion).toBe(2);
});

test.each([
  ['no JSON', '{', 'body: it is not JSON'],
  ['no body', '', 'body: it is not JSON'],
  [
    'an unknown action',
    { do: 'set-usd' },
    /^action: do: must be one of set-used, .*; did you mean set-used\?$/,
  ],
  ['an unknown key', { do: 'month-turn', colour: 'red' }, 'action: colour: unknown key'],
  [
    'a region that does not exist',
    { do: 'delete-template', ...template, region: 'ap-tokyo' },
    'action: region: account sample has no region ap-tokyo',
  ],
  [
    'a mistake within a list',
    [
      { do: 'create-version', ...template },
      { do: 'delete-version', ...template, version: 1 },
    ],
    'action: [1].version: version 1 is the default version',
  ],
])('the state is not changed by %s', async (_what, input, reason) => {
  const { status, body } = await control('POST', '/state', input);

  expect(status).toBe(400);
  expect(body.error).toMatch(reason);
  expect((await control('GET', '/changes')).body.changes).toEqual([]);
});

test('a reset starts the scenario again', async () => {
  await control('POST', '/state', { do: 'create-version', ...template });
  await control('POST', '/faults', { effect: 'hang' });

  await control('POST', '/reset');

  expect((await ask(versionsQuery)).response.TotalCount).toBe(1);
  expect((await control('GET', '/changes')).body.changes).toEqual([]);
});

const fault = { effect: 'error', code: 'InternalError', region: 'ap-guangzhou', count: 2 };

test('faults are applied, listed and cleared', async () => {
  const { status, body } = await control('POST', '/faults', fault);
  const failed = await ask(quotaQuery);
  const listed = await control('GET', '/faults');
  const cleared = await control('DELETE', `/faults/${body.id as string}`);

  expect(status).toBe(200);
  expect(failed.code).toBe('InternalError');
  expect(listed.body.faults).toMatchObject([{ ...fault, id: body.id, struck: 1 }]);
  expect(cleared).toEqual({ status: 200, body: { cleared: 1 } });
  expect((await ask(quotaQuery)).code).toBeNull();
});

test('faults never strike the control API', async () => {
  await control('POST', '/faults', { effect: 'connection-reset' });

  expect((await control('GET', '/faults')).status).toBe(200);
});

test('requests are listed with what they asked for and were answered', async () => {
  const { requestId } = await ask(quotaQuery);
  await ask({ ...versionsQuery, Limit: '0' });

  const { body } = await control('GET', '/requests');

  expect(body).toMatchObject({
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
});

test('requests are forgotten when they are deleted', async () => {
  await ask(quotaQuery);

  expect((await control('DELETE', '/requests')).body).toEqual({ cleared: 1 });
  expect((await control('GET', '/requests')).body).toEqual({ total: 0, requests: [] });
});

test('an unknown path is not found, and a wrong method told which are right', async () => {
  expect((await control('GET', '/nope')).status).toBe(404);
  expect((await control('GET', '/state/nope')).status).toBe(404);
  expect((await control('DELETE', '/faults/%E0%A4')).status).toBe(404);
  expect((await control('GET', '')).status).toBe(200);
  expect(await control('PUT', '/faults')).toEqual({
    status: 405,
    body: { error: '/_emulator/faults takes GET, POST, DELETE only' },
  });
});
