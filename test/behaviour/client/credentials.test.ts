/** Credentials as the clients of a configuration use them: fetched, renewed, shared, refused and reported. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { firstOf, readCredentials } from '../../../src/api/credentials/credentials.ts';
import { ExpiringCredentials } from '../../../src/api/credentials/expiring.ts';
import { silentObserver, type ApiObserver } from '../../../src/api/observer.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { Clients } from '../../../src/daemon/clients.ts';
import { BoundedCalls } from '../../../src/files/bounded-calls.ts';
import { unbounded } from '../../support/api-client.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { quotaTarget } from '../../support/fake-monitor.ts';
import { quotasOf } from '../../support/sample-scenario.ts';
import {
  type StubRequest,
  answerError,
  answerFields,
  startStubService,
} from '../../support/stub-service.ts';

type Answer = Parameters<typeof startStubService>[0];

const hourMs = 3_600_000;
const roleArn = 'qcs::cam::uin/100000000002:roleName/monitor';
const keys: Record<string, string> = {
  TENCENTCLOUD_SECRET_ID: 'an-id',
  TENCENTCLOUD_SECRET_KEY: 'a-key',
};

/** The environment of a pod with a token, and the file of the token. */
async function podWith(token: string) {
  const file = join(await temporaryDirectory(), 'token');
  await writeFile(file, token);
  const env = {
    TKE_REGION: 'ap-x',
    TKE_PROVIDER_ID: 'cls-1',
    TKE_WEB_IDENTITY_TOKEN_FILE: file,
    TKE_ROLE_ARN: roleArn,
  };
  return { file, env };
}

/** One server is the service, STS and the metadata service. */
async function arrange(
  accounts: Readonly<Record<string, object>>,
  { env = keys, answer }: { env?: Record<string, string>; answer: Answer },
) {
  const changes: Parameters<ApiObserver['credentialsChanged']>[0][] = [];
  const service = await startStubService((request, response) => {
    if (request.query.Action === 'DescribeAccountQuota') response.end(quotasOf('ap-x'));
    else answer(request, response);
  });
  const configOf = (given: Readonly<Record<string, object>>) =>
    parseConfig(
      JSON.stringify({
        api: {
          endpoint: service.url,
          sts_endpoint: service.url,
          metadata_endpoint: service.url,
          proxy: 'none',
          timeout: '5m',
        },
        accounts: Object.entries(given).map(([name, credentials]) => ({
          name,
          credentials,
          regions: ['ap-x'],
        })),
      }),
      'test',
      collectors,
    );
  const clients = new Clients(configOf(accounts), {
    collectors,
    observer: { ...silentObserver, credentialsChanged: (change) => changes.push(change) },
    userAgent: 'test',
    clock: { now: () => Date.now() },
    random: () => 0,
    env,
    fileCalls: new BoundedCalls(),
  });
  onTestFinished(() => {
    clients.close();
  });
  const poll = (account: string) => clients.poll(quotaTarget(account, 'ap-x'), unbounded());
  const actions = () => service.requests.map(({ query, path }) => query.Action ?? path);
  const reload = (given: Readonly<Record<string, object>>) => {
    clients.configure(configOf(given));
  };
  return { clients, service, poll, actions, changes, reload };
}

const session = (response: Parameters<Answer>[1], lifetimeMs = hourMs) => {
  answerFields(response, {
    Credentials: { Token: 'a-token', TmpSecretId: 'temporary-id', TmpSecretKey: 'temporary-key' },
    ExpiredTime: Math.floor((Date.now() + lifetimeMs) / 1_000),
  });
};

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
  const { actions, clients, poll, service } = await arrange(
    { a: role, b: role },
    { answer: giving },
  );

  await Promise.all([poll('a'), poll('b')]);

  expect(actions().filter((action) => action === 'AssumeRole')).toHaveLength(1);
  const signers = service.requests
    .slice(1)
    .map(({ headers }) => /Credential=([\w-]+)/.exec(headers.authorization ?? '')?.[1]);
  expect(signers).toEqual(['temporary-id', 'temporary-id']);
  const expiring = clients.status().credentialsExpiries.map(({ labels }) => labels.account);
  expect(expiring).toEqual(['a', 'b']);
});

it.each([
  ['UnauthorizedOperation', 'check its trust policy'],
  ['AuthFailure.UnauthorizedOperation', 'check its trust policy'],
  ['AuthFailure.SecretIdNotFound', 'check the credentials of the source'],
  ['ResourceNotFound.RoleNotFound', 'check that the role exists'],
  ['InternalError', 'failed with InternalError: the service refused the request'],
  ['UnauthorizedOperation.MFAExpired', 'failed with UnauthorizedOperation.MFAExpired: the'],
])('a role that STS refuses with %s fails with: %s', async (code, words) => {
  const { poll, changes } = await arrange({ a: role }, { answer: refusing(code) });

  await expect(poll('a')).rejects.toMatchObject({
    code: 'Credentials',
    message: expect.stringContaining(words) as unknown,
  });
  expect(changes).toMatchObject([{ accounts: ['a'], type: 'assume_role' }]);
});

it.each([
  ['the key and external ID', { ...role, external_id: 'an-external-id' }, /a-key|an-external-id/],
  ['the token of the pod', { type: 'tke_oidc' }, /a-token/],
])('a role that STS refuses is reported without %s that STS quotes', async (_, given, secrets) => {
  const { poll } = await arrange(
    { a: given },
    {
      env: { ...keys, ...(await podWith('a-token')).env },
      answer: (_request, response) => {
        const Message = 'the key an-id with a-key and a-token may not use an-external-id';
        const Response = { Error: { Code: 'InvalidParameter', Message }, RequestId: 'r-1' };
        response.end(JSON.stringify({ Response }));
      },
    },
  );

  const failure = await poll('a').catch((error: unknown) => error as Error);

  expect(failure).toMatchObject({ code: 'Credentials' });
  expect(inspect(failure)).toContain('may not use');
  expect(inspect(failure)).not.toMatch(secrets);
});

it('a role whose source fails is counted and reported once, with the accounts that use it', async () => {
  const { poll, clients, changes } = await arrange(
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
  const { poll, reload, service } = await arrange({ a: role }, { answer: () => undefined });
  const polled = poll('a');
  await expect.poll(() => service.requests.length).toBe(1);

  reload({ a: { type: 'environment' } });

  expect(await polled).toMatchObject({ anomalies: [] });
});

it('a role that is no longer configured frees what it waits for, and is asked no more', async () => {
  const { poll, reload, service } = await arrange(
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

const path = '/latest/meta-data/cam/security-credentials/';
const fields = {
  Code: 'Success',
  TmpSecretId: 'temporary-id',
  TmpSecretKey: 'temporary-key',
  Token: 'temporary-token',
  ExpiredTime: Math.floor(Date.now() / 1_000) + 3_600,
};
const metadata =
  (credentials: object): Answer =>
  (request, response) => {
    response.end(request.path === path ? 'machine\n' : JSON.stringify(credentials));
  };

it('the role of a machine is asked for by its name, or by that of the configuration', async () => {
  const { actions, poll } = await arrange(
    { a: { type: 'cvm_role' }, b: { type: 'cvm_role', role: 'named' } },
    { answer: metadata(fields) },
  );

  await poll('a');
  await poll('b');

  const asked = actions().filter((action) => action.startsWith(path));
  expect(asked).toEqual([path, `${path}machine`, `${path}named`]);
});

it.each([
  ['another code', { ...fields, Code: 'Failed' }, 'does not have the credentials of machine'],
  ['no token', { ...fields, Token: undefined }, 'does not have the credentials'],
  ['an empty key', { ...fields, TmpSecretKey: '' }, 'is empty'],
  ['a key with a space', { ...fields, TmpSecretKey: 'temporary key' }, 'holds spaces'],
  ['an end in the past', { ...fields, ExpiredTime: 1 }, 'have expired'],
])(
  'the role of a machine in an answer with %s is a failure that quotes nothing',
  async (_what, given, message) => {
    const { poll } = await arrange({ a: { type: 'cvm_role' } }, { answer: metadata(given) });

    const error: unknown = await poll('a').catch((caught: unknown) => caught);

    expect(error).toMatchObject({ code: 'Credentials', type: 'cvm_role' });
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain('temporary');
  },
);

it('the token of a pod is read at each fetch', async () => {
  const { file, env } = await podWith('first-token\n');
  const tokens: unknown[] = [];
  const tokenOf = ({ body }: StubRequest) =>
    (JSON.parse(body.toString()) as { WebIdentityToken: unknown }).WebIdentityToken;
  const { poll } = await arrange(
    { a: { type: 'tke_oidc' } },
    {
      env,
      answer: (request, response) => {
        tokens.push(tokenOf(request));
        session(response, 1_200);
      },
    },
  );
  await poll('a');
  await writeFile(file, 'second-token');

  // The first set ends after little more than a second.
  await expect.poll(() => poll('a').then(() => tokens)).toEqual(['first-token', 'second-token']);
});

/** A source whose fetches the test ends. */
function source() {
  let nowMs = 0;
  const fetches: { succeed: (name: string) => void; fail: () => void }[] = [];
  const provider = new ExpiringCredentials({
    fetch: () =>
      new Promise((resolve, reject) => {
        fetches.push({
          succeed: (name) => {
            resolve({ credentials: set(name), expiresAtMs: nowMs + hourMs });
          },
          fail: () => {
            reject(new Error('refused'));
          },
        });
      }),
    clock: { now: () => nowMs },
    random: () => 0,
  });
  const begin = async () => {
    const first = provider.get();
    fetches[0]!.succeed('first');
    await first;
  };
  return {
    provider,
    fetches,
    begin,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}
const set = (name: string) => ({ secretId: name, secretKey: name, token: name });

it('temporary credentials are fetched once for requests at the same time', async () => {
  const { provider, fetches } = source();

  const both = Promise.all([provider.get(), provider.get()]);
  fetches[0]!.succeed('first');

  expect(await both).toEqual([set('first'), set('first')]);
  expect(fetches).toHaveLength(1);
});

it('temporary credentials are renewed by a use 300 s before their end, which does not wait for it', async () => {
  const { provider, fetches, begin, pass } = source();
  await begin();

  pass(hourMs - 300_001);
  await provider.get();
  expect(fetches).toHaveLength(1);
  pass(1);
  expect(await provider.get()).toEqual(set('first'));
  fetches[1]!.succeed('second');

  await expect.poll(() => provider.get()).toEqual(set('second'));
});

it('temporary credentials are used until their end while no others can be fetched, and never after it', async () => {
  const { provider, fetches, begin, pass } = source();
  await begin();

  pass(hourMs - 1);
  expect(await provider.get()).toEqual(set('first'));
  fetches[1]!.fail();
  await expect.poll(async () => (await provider.get(), fetches.length)).toBe(2);
  pass(2_000);
  const ended = provider.get();
  fetches[2]!.fail();

  await expect(ended).rejects.toThrow('refused');
});

it('temporary credentials share a failure for a second, and are then fetched again', async () => {
  const { provider, fetches, pass } = source();
  const failed = provider.get();
  fetches[0]!.fail();
  await expect(failed).rejects.toThrow('refused');

  await expect(provider.get()).rejects.toThrow('refused');
  expect(fetches).toHaveLength(1);
  pass(1_000);
  const again = provider.get();
  fetches[1]!.succeed('second');

  expect(await again).toEqual(set('second'));
});

it('temporary credentials that the service refuses are replaced, unless they are fresh', async () => {
  const { provider, fetches, begin, pass } = source();
  await begin();

  expect(await provider.refused(set('first'))).toBe(false);
  pass(10_000);
  const refused = provider.refused(set('first'));
  fetches[1]!.succeed('second');

  expect(await refused).toBe(true);
  expect(await provider.get()).toEqual(set('second'));
  expect(await provider.refused(set('first'))).toBe(true);
  expect(fetches).toHaveLength(2);
});

const fixed = (name: string) =>
  readCredentials(() => Promise.resolve({ secretId: name, secretKey: name, token: null }));
const failing = readCredentials(() => Promise.reject(new Error('fails')));
const candidate = (provider: typeof failing, state: { exists: boolean }) => ({
  exists: () => Promise.resolve(state.exists),
  provider,
});

it('credentials of the type default come from the first source that exists, and stay with it', async () => {
  const absent = { exists: false };
  const present = { exists: true };
  const candidates = [candidate(fixed('a'), absent), candidate(fixed('b'), present)];
  const provider = firstOf(candidates, fixed('last'));

  expect(await provider.get()).toMatchObject({ secretId: 'b' });
  absent.exists = true;
  present.exists = false;

  expect(await provider.get()).toMatchObject({ secretId: 'b' });
});

it('credentials of the type default fail if that source fails, and come from no other', async () => {
  const provider = firstOf([candidate(failing, { exists: true })], fixed('last'));

  await expect(provider.get()).rejects.toThrow('fails');
});

it('credentials of the type default come from a source that appears, as long as the last one has given nothing', async () => {
  const state = { exists: false };
  const provider = firstOf([candidate(fixed('a'), state)], failing);
  await expect(provider.get()).rejects.toThrow('fails');

  state.exists = true;

  expect(await provider.get()).toMatchObject({ secretId: 'a' });
});
