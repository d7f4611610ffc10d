import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { LargeAnswers } from '../../../../src/api/answer-body.ts';
import { Routes } from '../../../../src/api/routes.ts';
import { silentObserver, type ApiObserver } from '../../../../src/api/observer.ts';
import { YieldQueue } from '../../../../src/api/yield-queue.ts';
import { collectors } from '../../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../../src/config/config.ts';
import { CredentialsPool } from '../../../../src/daemon/credentials/credentials-pool.ts';
import { BoundedCalls } from '../../../../src/files/bounded-calls.ts';
import { answerFields, startStubService } from '../../../helpers/stub-service.ts';

/** The role of one account. One server is STS and the metadata service. */
async function arrange(given: {
  readonly source: object;
  readonly env?: Record<string, string>;
  readonly answer: (response: ServerResponse) => void;
  readonly observer: Partial<ApiObserver>;
  readonly yieldQueue?: YieldQueue;
}) {
  const service = await startStubService((_request, response) => {
    given.answer(response);
  });
  onTestFinished(service.close);
  const credentials = { type: 'assume_role', role_arn: roleArn, source: given.source };
  const settings = {
    api: { sts_endpoint: service.url, metadata_endpoint: service.url },
    accounts: [{ name: 'watched', credentials, regions: ['ap-x'] }],
  };
  const config = parseConfig(JSON.stringify(settings), 'test', collectors);
  const pool = new CredentialsPool(config.api, {
    clock: { now: () => Date.now() },
    random: () => 0,
    env: given.env ?? {},
    fileCalls: new BoundedCalls(),
    observer: { ...silentObserver, ...given.observer },
    userAgent: 'test',
    largeAnswers: new LargeAnswers(),
    yieldQueue: given.yieldQueue ?? new YieldQueue(),
    routes: new Routes({}),
  });
  onTestFinished(() => {
    pool.close();
  });
  pool.configure(config);
  return { pool, config };
}

const roleArn = 'qcs::cam::uin/100000000002:roleName/monitor';

it('a failure of the last source of type default is counted and reported once, for a role too', async () => {
  const reasons: string[] = [];
  const { pool } = await arrange({
    source: { type: 'default' },
    answer: (response) => response.writeHead(404).end(),
    observer: { credentialsFailed: ({ reason }) => reasons.push(reason) },
  });

  await expect(pool.of('watched').get()).rejects.toThrow('no credentials in the environment');

  expect(pool.failures()).toContainEqual({ account: 'watched', type: 'cvm_role', failures: 1 });
  expect(reasons).toHaveLength(1);
});

it('a request that ends after its account was removed is counted for no account', async () => {
  const told: unknown[] = [];
  let turns = 0;
  let remove = (): void => undefined;
  /** Turns are before a request is signed, and before its answer is read. */
  class Turns extends YieldQueue {
    override async nextTurn(): Promise<void> {
      await super.nextTurn();
      turns += 1;
      if (turns === 2) remove();
    }
  }
  const first = { type: 'assume_role', role_arn: roleArn, external_id: 'external' };
  const { pool, config } = await arrange({
    source: { ...first, source: { type: 'environment' } },
    env: { TENCENTCLOUD_SECRET_ID: 'an-id', TENCENTCLOUD_SECRET_KEY: 'a-key' },
    answer: (response) => {
      answerFields(response, {});
    },
    observer: { requestFinished: (event) => told.push(event) },
    yieldQueue: new Turns(),
  });
  remove = () => {
    pool.configure({ ...config, accounts: [] });
  };

  await expect(pool.of('watched').get()).rejects.toThrow();

  expect(turns).toBe(2);
  expect(told).toEqual([]);
});
