import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ApiObserver } from '../../src/api/observer.ts';
import { collectors } from '../../src/collectors/collectors.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createClients } from '../../src/daemon/clients.ts';
import { BoundedCalls } from '../../src/bounded-calls.ts';
import { unbounded } from './api-client.ts';
import { temporaryDirectory } from './directories.ts';
import { quotaTarget } from './fake-monitor.ts';
import { quotasOf } from './sample-scenario.ts';
import { answerFields, startStubService } from './stub-service.ts';

export type Answer = Parameters<typeof startStubService>[0];

export const roleArn = 'qcs::cam::uin/100000000002:roleName/monitor';
export const keys: Record<string, string> = {
  TENCENTCLOUD_SECRET_ID: 'an-id',
  TENCENTCLOUD_SECRET_KEY: 'a-key',
};

/** The environment of a pod with a token, and the file of the token. */
export async function podWith(token: string) {
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

/** Clients of a configuration with these credentials. One server is the service, STS and the metadata service. */
export async function startClients(
  accounts: Readonly<Record<string, object>>,
  {
    env = keys,
    answer,
    fileCalls = new BoundedCalls(),
  }: { env?: Record<string, string>; answer: Answer; fileCalls?: BoundedCalls },
) {
  const changes: Parameters<ApiObserver['credentialsChanged']>[0][] = [];
  const finished: { account: string; operation: string; code: string | null }[] = [];
  const service = await startStubService((request, response) => {
    if (request.query.Action === 'DescribeAccountQuota') response.end(quotasOf('ap-x'));
    else answer(request, response);
  });
  const { url } = service;
  const api = { endpoint: url, sts_endpoint: url, metadata_endpoint: url };
  const configOf = (given: Readonly<Record<string, object>>) => {
    const entries = Object.entries(given);
    const all = entries.map(([name, credentials]) => ({ name, credentials, regions: ['ap-x'] }));
    const text = JSON.stringify({ api: { ...api, proxy: 'none', timeout: '5m' }, accounts: all });
    return parseConfig(text, 'test', collectors);
  };
  const clients = createClients({
    config: configOf(accounts),
    collectors,
    observer: {
      credentialsChanged: (change) => changes.push(change),
      requestFinished: (request) => finished.push(request),
    },
    userAgent: 'test',
    clock: { now: () => Date.now() },
    random: () => 0,
    env,
    fileCalls,
  });
  onTestFinished(() => {
    clients.close();
  });
  const poll = (account: string) => clients.poll(quotaTarget(account, 'ap-x'), unbounded());
  const actions = () => service.requests.map(({ query, path }) => query.Action ?? path);
  const reload = (given: Readonly<Record<string, object>>) => {
    clients.configure(configOf(given));
  };
  return { clients, service, poll, actions, changes, finished, reload };
}

/** Answers like STS, with temporary keys. */
export const session = (response: Parameters<Answer>[1], lifetimeMs = 3_600_000) => {
  answerFields(response, {
    Credentials: { Token: 'a-token', TmpSecretId: 'temporary-id', TmpSecretKey: 'temporary-key' },
    ExpiredTime: Math.floor((Date.now() + lifetimeMs) / 1_000),
  });
};
