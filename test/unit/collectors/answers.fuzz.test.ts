import fc from 'fast-check';
import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { CodedError } from '../../../src/model/coded-error.ts';
import type { PollAnswer } from '../../../src/model/poll-outcome.ts';
import { formatRecord, parseRecord } from '../../../src/storage/record-file.ts';
import { observedClient, unbounded } from '../../support/api-client.ts';
import { quotaTarget } from '../../support/fake-monitor.ts';
import { fuzz, fuzzTimeoutMs } from '../../support/fuzz.ts';
import { InProcessTransport } from '../../support/in-process-transport.ts';
import { answerByOperation, knownAnswers, targetOf } from '../../support/known-answers.ts';
import { arbitraryText, mutatedJson, mutatedText, nested } from '../../support/mutations.ts';
import { advance, asStored, newRecord } from '../../support/records.ts';
import { quotaSample, versionsSample } from '../../support/sample-scenario.ts';
import { expectServed } from '../../support/served.ts';

/** Bytes, texts and JSON, most of them almost one of the answers. */
const almost = (...answers: readonly string[]) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: arbitraryText },
    { weight: 1, arbitrary: fc.json({ maxDepth: 5 }) },
    { weight: 1, arbitrary: nested('[{"Response":') },
    {
      weight: 5,
      arbitrary: mutatedText(answers, [
        ...['{', '}', '[', ']', '"', ',', ':', '\\', '\\u', '\ud800'],
        ...['null', '-', 'e', '1e400', '\0'],
      ]),
    },
    { weight: 15, arbitrary: mutatedJson(answers.map((text) => JSON.parse(text) as unknown)) },
  );

/** Targets that ask for more than the known answer has. */
const wider: Readonly<Record<string, object>> = {
  DescribeAccountQuota: quotaTarget(),
  DescribeZoneInstanceConfigInfos: {
    needs: [{ instanceType: 'S5.LARGE8', chargeType: 'postpaid', zone: null }],
  },
  DescribeSubnets: { ids: ['subnet-a', 'subnet-b'] },
  DescribeAutoScalingGroups: { ids: ['asg-1', 'asg-2'] },
};

const envelope = (fields: object) => JSON.stringify({ Response: { ...fields, RequestId: 'r' } });
const samples = [
  ...[quotaSample, versionsSample, ...knownAnswers.map(({ answer }) => envelope(answer))],
  ...['InvalidImageId.NotFound', 'InternalError'].map((Code) =>
    envelope({ Error: { Code, Message: 'm' } }),
  ),
];

it.each([...answerByOperation])(
  'an answer of any bytes to %s is read, and can be stored and served, or fails with a code',
  async (operation, given) => {
    const target = targetOf(given, wider[operation]);
    // Half of the bodies are almost the answer of the operation itself.
    const own = samples.map(() => envelope(given.answer));
    const bodies = almost(...samples, ...own);
    let answer: string | Buffer = '';
    // One for all polls: each client would keep the rate of its own.
    const client = observedClient('http://service', {
      transport: new InProcessTransport(() => answer),
      maxAttempts: 1,
      requestsPerSecond: 1_000_000,
    });
    await fuzz(bodies, 3_000, async (body) => {
      answer = body;
      let polled: PollAnswer;
      try {
        polled = await client.poll(target, unbounded());
      } catch (error) {
        if (!(error instanceof CodedError)) throw error;
        expect(error.code).toMatch(/^[A-Z][A-Za-z0-9.]{0,63}$/);
        expect(error.message).toMatch(/^[^\p{Cc}]{1,400}$/u);
        return;
      }
      const { record } = advance(newRecord(target), { ok: true, ...polled, durationMs: 1 }, 1);
      expect(parseRecord(formatRecord(record), collectors, 'a.json')).toEqual(asStored(record));
      await expectServed(record);
    });
  },
  fuzzTimeoutMs,
);
