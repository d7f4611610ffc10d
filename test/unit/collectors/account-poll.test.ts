import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceCall } from '../../../src/api/retrying-call.ts';
import { readCredentials } from '../../../src/api/credentials/credentials.ts';
import { createAccountPoll } from '../../../src/collectors/account-poll.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { readQuotas } from '../../../src/collectors/quota/answer.ts';
import type { PollContext } from '../../../src/model/poll-outcome.ts';
import {
  observedClient,
  quotaTarget,
  recognisable,
  templateTarget,
  unbounded,
} from '../../helpers/api-client.ts';
import { quotaSample, versionsSample } from '../../helpers/official-samples.ts';
import { answerError, startStubService } from '../../helpers/stub-service.ts';

const { Response: fields } = JSON.parse(quotaSample) as { Response: unknown };
const sampleResponse = { fields, requestId: null };
const { selection } = quotaTarget();
const appId = 251_007_416;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** A client whose keys can be replaced, at a service that can refuse quotas, or not answer. */
async function arrange() {
  const state = { secretId: 'AKIDfirst', refusesQuotas: false, hangs: false };
  const service = await startStubService(({ query }, response) => {
    if (query.Action !== 'DescribeAccountQuota') response.end(versionsSample);
    else if (state.refusesQuotas) answerError(response, 'UnauthorizedOperation');
    else if (!state.hangs) response.end(quotaSample);
  });
  const credentials = readCredentials(() =>
    Promise.resolve({ ...recognisable, secretId: state.secretId }),
  );
  const client = observedClient(service.url, { credentials });
  closing.push(client.close, service.close);
  const quotaRequests = () =>
    service.requests.filter(({ query }) => query.Action === 'DescribeAccountQuota').length;
  return { client, service, state, quotaRequests };
}

const finding = (isChange: boolean): PollContext => ({
  ...unbounded(),
  findsChange: () => isChange,
});

describe('the AppId of a template', () => {
  it('is that of the quotas that were read with the same key', async () => {
    const { client, quotaRequests } = await arrange();
    await client.poll(quotaTarget(), unbounded());

    const { snapshot } = await client.poll(templateTarget, finding(true));

    expect(snapshot.appId).toBe(appId);
    expect(quotaRequests()).toBe(1);
  });

  it('is that of one object, as long as the answer stays the same', async () => {
    const { client } = await arrange();
    await client.poll(quotaTarget(), unbounded());

    const first = await client.poll(templateTarget, unbounded());
    const second = await client.poll(templateTarget, unbounded());

    expect(first.snapshot.appId).toBe(appId);
    expect(second).toBe(first);
  });

  it('is not asked for where it is not known whether there is a change', async () => {
    const { client, state, quotaRequests } = await arrange();
    await client.poll(quotaTarget(), unbounded());
    state.secretId = 'AKIDsecond';

    expect((await client.poll(templateTarget, unbounded())).snapshot.appId).toBeNull();
    expect(quotaRequests()).toBe(1);
  });

  it('is asked for once by all that find a change with a key that was replaced', async () => {
    const { client, state, quotaRequests } = await arrange();
    await client.poll(quotaTarget(), unbounded());
    state.secretId = 'AKIDsecond';

    const answers = await Promise.all(
      [1, 2, 3].map(() => client.poll(templateTarget, finding(true))),
    );

    expect(answers.map(({ snapshot }) => snapshot.appId)).toEqual([appId, appId, appId]);
    expect(quotaRequests()).toBe(2);
  });

  it('is asked for without a filter', async () => {
    const { client, service, state } = await arrange();
    await client.poll(quotaTarget(), unbounded());
    state.secretId = 'AKIDsecond';

    await client.poll(templateTarget, finding(true));

    const [quotas, , asked] = service.requests.map(({ query }) => Object.keys(query).toSorted());
    expect(asked).toEqual(quotas);
  });

  it('is asked for again by who waits, when the poll that asked is stopped', async () => {
    const { client, state, quotaRequests } = await arrange();
    await client.poll(quotaTarget(), unbounded());
    Object.assign(state, { secretId: 'AKIDsecond', hangs: true });
    const removal = new AbortController();
    const context = { ...finding(true), signal: removal.signal };
    const removed = client.poll(templateTarget, context);
    await expect.poll(quotaRequests).toBe(2);
    const waiting = [1, 2].map(() => client.poll(templateTarget, finding(true)));
    await expect.poll(() => client.finished.length).toBe(4);

    state.hangs = false;
    removal.abort(new Error('the target was removed'));

    await expect(removed).rejects.toThrow('the target was removed');
    const answers = await Promise.all(waiting);
    expect(answers.map(({ snapshot }) => snapshot.appId)).toEqual([appId, appId]);
    expect(quotaRequests()).toBe(3);
  });

  it('is not asked for without a change', async () => {
    const { client, state, quotaRequests } = await arrange();
    await client.poll(quotaTarget(), unbounded());
    state.secretId = 'AKIDsecond';

    const { snapshot } = await client.poll(templateTarget, finding(false));

    expect(snapshot.appId).toBeNull();
    expect(quotaRequests()).toBe(1);
  });

  it('is not asked for by who watches templates alone', async () => {
    const { client, quotaRequests } = await arrange();

    const { snapshot } = await client.poll(templateTarget, finding(true));

    expect(snapshot.appId).toBeNull();
    expect(quotaRequests()).toBe(0);
  });

  it('is unknown where it is refused, and the poll succeeds', async () => {
    const { client, state } = await arrange();
    state.refusesQuotas = true;
    await client.poll(quotaTarget(), unbounded()).catch(() => undefined);

    const { snapshot } = await client.poll(templateTarget, finding(true));

    expect(snapshot).toMatchObject({ appId: null, versions: [1] });
  });
});

describe('a poll that is stopped', () => {
  const reason = new Error('the daemon stops');

  it.each([
    ['fails', () => Promise.reject(new Error('the connection was closed'))],
    ['was answered all the same', () => Promise.resolve(readQuotas(sampleResponse, selection))],
  ])('rejects with the reason of the stop, also where the request %s', async (_what, call) => {
    const stopping = new AbortController();
    const poll = createAccountPoll(
      // The answer that a caller reads is of any type.
      (() => {
        stopping.abort(reason);
        return call();
      }) as ServiceCall,
      collectors,
    );

    const polled = poll(quotaTarget(), { ...unbounded(), signal: stopping.signal });

    await expect(polled).rejects.toBe(reason);
  });
});
