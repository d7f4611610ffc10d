import { collectors } from '../../../src/collectors/collectors.ts';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../helpers/silent-logger.ts';
import { CodedError } from '../../../src/model/coded-error.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import { targetKey } from '../../../src/model/target.ts';
import { PollLog } from '../../../src/poll/poll-log.ts';
import { pollOnce } from '../../../src/poll/poll-once.ts';
import { quota, quotas, quotaTarget } from '../../helpers/fake-monitor.ts';
import { stubbedClient } from '../../helpers/stubbed-client.ts';

const targets = ['ap-one', 'ap-two', 'ap-three'].map((region) => quotaTarget('a', region));
const answer = { snapshot: quotas(quota({ used: 1, limit: 10 })), anomalies: [] };
const clock = { now: () => 1_000 };
const log = new PollLog(silentLogger, clock);
const leavesOut = () => false;
const timeLimit = new AbortController().signal;
const tools = { collectors, clock, log, leavesOut, timeLimit, onPlanned: () => undefined };

/** Answers about the first target, and never about another one. */
const answersFirst: Parameters<typeof pollOnce>[1]['poll'] = ({ region }, { signal }) =>
  region === 'ap-one'
    ? Promise.resolve(answer)
    : new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new CodedError('NetworkError', 'cut short'));
        });
      });

test('each target is polled once, and one that fails leaves the others alone', async () => {
  const polled: TargetRecord[] = [];

  const records = await pollOnce(() => targets, {
    ...tools,
    poll: ({ region }) =>
      region === 'ap-two'
        ? Promise.reject(new CodedError('Timeout', 'no answer'))
        : Promise.resolve(answer),
    signal: new AbortController().signal,
    onPolled: (record) => polled.push(record),
  });

  expect(records.map(({ target }) => target)).toEqual(targets);
  expect(records.map(({ seen }) => seen.freshness.failure?.code)).toEqual([
    undefined,
    'Timeout',
    undefined,
  ]);
  expect(records.map(({ seen }) => seen.freshness.polls)).toEqual([1, 1, 1]);
  expect(new Set(polled)).toEqual(new Set(records));
});

test('an abort ends it with the records it has, and none for what it cut short', async () => {
  const stopping = new AbortController();

  const records = await pollOnce(() => targets, {
    ...tools,
    poll: answersFirst,
    signal: stopping.signal,
    onPolled: () => {
      stopping.abort();
    },
  });

  expect(records.map(({ target }) => target.region)).toEqual(['ap-one']);
});

test('what has no answer at the time limit has failed with Timeout, also what was not asked yet', async () => {
  const limit = new AbortController();
  const polled: TargetRecord[] = [];
  const found = [...targets, quotaTarget('a', 'ap-found')];

  const records = await pollOnce(
    (records) => (records.get(targetKey(targets[0]!)) ? found : targets),
    {
      ...tools,
      poll: answersFirst,
      signal: new AbortController().signal,
      timeLimit: limit.signal,
      onPolled: (record) => {
        polled.push(record);
        limit.abort();
      },
    },
  );

  expect(records.map(({ target }) => target)).toEqual(found);
  expect(records.map(({ seen }) => seen.freshness.failure?.code)).toEqual([
    undefined,
    'Timeout',
    'Timeout',
    'Timeout',
  ]);
  expect(new Set(polled)).toEqual(new Set(records));
});

test('polls that an abort ends all share its signal, and cause no warning of too many listeners', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => warnings.push(warning);
  process.on('warning', warn);
  onTestFinished(() => void process.off('warning', warn));
  const stopping = new AbortController();
  const { service, client } = await stubbedClient(() => undefined);

  const polling = pollOnce(
    () => Array.from({ length: 50 }, (_, i) => quotaTarget('a', `ap-${i}`)),
    { ...tools, poll: client.poll, signal: stopping.signal, onPolled: () => undefined },
  );
  await expect.poll(() => service.requests.length).toBe(20);
  stopping.abort();

  expect(await polling).toEqual([]);
  expect(warnings).toEqual([]);
});
