/** Roles that STS gives, as the clients of a configuration use them: shared, refused and reported. */
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import {
  keys,
  podWith,
  roleArn,
  session,
  startClients,
  type Answer,
} from '../../support/clients.ts';
import { leaks } from '../../support/leaks.ts';
import { answerError } from '../../support/stub-service.ts';
import { rowsOf } from '../../support/rows.ts';

const giving: Answer = (_request, response) => {
  session(response);
};
const refusing =
  (code: string): Answer =>
  (_request, response) => {
    answerError(response, code);
  };

const member = (source: object) => ({ type: 'assume_role', role_arn: roleArn, source });
const role = member({ type: 'environment' });

it('a role is assumed once for all accounts that use it, and signs their requests', async () => {
  const { actions, clients, finished, poll, service } = await startClients(
    { a: role, b: role },
    { answer: giving },
  );

  await Promise.all([poll('a'), poll('b')]);

  expect(actions().filter((action) => action === 'AssumeRole')).toHaveLength(1);
  expect(finished).toContainEqual(
    expect.objectContaining({ account: 'a', operation: 'AssumeRole', code: null }),
  );
  const signers = service.requests
    .slice(1)
    .map(({ headers }) => /Credential=([\w-]+)/.exec(headers.authorization ?? '')?.[1]);
  expect(signers).toEqual(['temporary-id', 'temporary-id']);
  const expiring = clients.status().credentialsExpiries.map(({ labels }) => labels.account);
  expect(expiring).toEqual(['a', 'b']);
});

it.each(rowsOf<[string, string]>('api', 'refused-roles'))(
  'a role that STS refuses with %s fails with: %s',
  async (code, words) => {
    const { poll, changes } = await startClients({ a: role }, { answer: refusing(code) });

    await expect(poll('a')).rejects.toMatchObject({
      code: 'Credentials',
      message: expect.stringContaining(words) as unknown,
    });
    expect(changes).toMatchObject([{ accounts: ['a'], type: 'assume_role' }]);
  },
);

it.each([
  ['the key', role],
  ['the token of the pod', { type: 'tke_oidc' }],
])('a role that STS refuses is reported without %s that STS quotes', async (_, given) => {
  const secret = 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE';
  const { poll } = await startClients(
    { a: given },
    {
      env: { ...keys, ...(await podWith(secret)).env, TENCENTCLOUD_SECRET_KEY: secret },
      answer: (_request, response) => {
        const Message = `who has ${secret} may not use it`;
        const Response = { Error: { Code: secret, Message }, RequestId: secret };
        response.end(JSON.stringify({ Response }));
      },
    },
  );

  const failure = await poll('a').catch((error: unknown) => error as Error);

  expect(failure).toMatchObject({ code: 'Credentials' });
  expect(inspect(failure)).toContain('who has Gu5t… may not use');
  expect(leaks(inspect(failure), [secret])).toEqual([]);
});

it('a role whose source fails is counted and reported once, with the accounts that use it', async () => {
  const { poll, clients, changes } = await startClients(
    { a: member({ type: 'default' }) },
    { env: { HOME: '/dev/null' }, answer: (_request, response) => response.writeHead(404).end() },
  );

  await expect(poll('a')).rejects.toThrow('no credentials in the environment');

  const { credentialsFailures } = clients.status();
  expect(credentialsFailures.filter(({ value }) => value > 0)).toEqual([
    { labels: { account: 'a', type: 'cvm_role' }, value: 1 },
  ]);
  expect(changes).toHaveLength(1);
});

it('a role that STS does not give is left at once for the credentials of a reload', async () => {
  const { poll, reload, service } = await startClients({ a: role }, { answer: () => undefined });
  const polled = poll('a');
  await expect.poll(() => service.requests.length).toBe(1);

  reload({ a: { type: 'environment' } });

  expect(await polled).toMatchObject({ anomalies: [] });
});

it('a role that is no longer configured frees what it waits for, and is asked no more', async () => {
  const { poll, reload, service } = await startClients(
    { a: role, b: { type: 'none' } },
    { answer: () => undefined },
  );
  const polled = poll('a').catch((error: unknown) => error);
  await expect.poll(() => service.requests.length).toBe(1);

  reload({ b: { type: 'none' } });

  expect(await polled).toBeInstanceOf(Error);
  await expect.poll(() => service.brokenOff()).toBe(1);
  expect(service.requests).toHaveLength(1);
});
