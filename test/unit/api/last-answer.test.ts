import { afterEach, describe, expect, it } from 'vitest';
import { LastAnswer, unchangedAnswer } from '../../../src/api/last-answer.ts';
import {
  observedClient,
  quotaTarget,
  templateTarget,
  unbounded,
} from '../../helpers/api-client.ts';
import { quotaSample, versionsSample } from '../../helpers/official-samples.ts';
import { answerError, startStubService } from '../../helpers/stub-service.ts';

const envelope = (fields: object, requestId: string) =>
  JSON.stringify({ Response: { ...fields, RequestId: requestId } });

/** Polls that get these answers, one list for each poll. Resolves with the texts that were read in each. */
async function readTexts(polls: readonly (readonly string[])[]) {
  const last = new LastAnswer<readonly string[]>();
  const results: (readonly string[])[] = [];
  for (const bodies of polls) {
    const result = await last.during((isUnchanged) => {
      if (bodies.some(isUnchanged)) return Promise.reject(unchangedAnswer);
      return Promise.resolve(bodies);
    });
    results.push(result);
  }
  return results;
}

describe('the last answer', () => {
  it('is taken for one that differs in its RequestId alone', async () => {
    const [first, second] = [
      envelope({ TotalCount: 1 }, 'a-1'),
      envelope({ TotalCount: 1 }, 'b-2'),
    ];

    const results = await readTexts([[first], [second]]);

    expect(results).toEqual([[first], [first]]);
  });

  it('is taken for one with other spaces around its RequestId', async () => {
    const [first, second] = ['a', 'b'].map((id) => `{"Response":{"RequestId" : "${id}"}}`);

    expect(await readTexts([[first ?? ''], [second ?? '']])).toEqual([[first], [first]]);
  });

  it('is not taken for one that differs in anything else', async () => {
    const answers = [
      envelope({ TotalCount: 1 }, 'a'),
      envelope({ TotalCount: 2 }, 'a'),
      envelope({ TotalCount: 2, Name: '"RequestId":"a"' }, 'a'),
      envelope({ TotalCount: 2, Name: '"RequestId":"b"' }, 'a'),
    ].map((body) => [body]);

    expect(await readTexts(answers)).toEqual(answers);
  });

  it('is not that of a poll of several requests', async () => {
    const [page, next, other] = [1, 2, 3].map((count) => envelope({ TotalCount: count }, 'a'));
    const polls = [[page, next], [page, other], [page], [next, page]].map((bodies) =>
      bodies.map((body) => body ?? ''),
    );

    expect(await readTexts(polls)).toEqual(polls);
  });

  it('stays the same after a poll that failed', async () => {
    const last = new LastAnswer<object>();
    const known = { is: 'known' };
    const poll = (isUnchanged: (body: string) => boolean) =>
      isUnchanged('{}') ? Promise.reject(unchangedAnswer) : Promise.resolve(known);
    await last.during(poll);

    await expect(last.during(() => Promise.reject(new Error('Timeout')))).rejects.toThrow(
      'Timeout',
    );

    expect(await last.during(poll)).toBe(known);
  });
});

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

describe('a poll over HTTP whose answer did not change', () => {
  it.each([
    ['quotas', quotaTarget(), quotaSample, '"TotalQuota": 10', '"TotalQuota": 11'],
    ['a template', templateTarget, versionsSample, '"lt_test"', '"lt_other"'],
  ])(
    'gives the same snapshot of %s, and counts its request',
    async (_, target, sample, from, to) => {
      let body = sample;
      let isRefusing = false;
      const service = await startStubService((_request, response) => {
        if (isRefusing) answerError(response, 'UnauthorizedOperation');
        else response.end(body);
      });
      const client = observedClient(service.url);
      closing.push(client.close, service.close);
      const first = await client.poll(target, unbounded());

      body = sample.replace(/"RequestId": "[^"]*"/, '"RequestId":"another-one"');
      const same = await client.poll(target, unbounded());
      isRefusing = true;
      await expect(client.poll(target, unbounded())).rejects.toMatchObject({
        code: 'UnauthorizedOperation',
      });
      isRefusing = false;
      body = sample.replace(from, to);
      const other = await client.poll(target, unbounded());

      expect(body).not.toBe(sample);
      expect(same.snapshot).toBe(first.snapshot);
      expect(other.snapshot).not.toBe(first.snapshot);
      expect(service.requests).toHaveLength(4);
    },
  );
});
