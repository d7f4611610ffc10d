import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { CodedError } from '../../../src/model/coded-error.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import { targetKey } from '../../../src/model/target.ts';
import { PollLog } from '../../../src/poll/poll-log.ts';
import { pollOnce, type PollOnceOptions } from '../../../src/poll/poll-once.ts';
import { quota, quotas, quotaTarget } from '../../support/fake-monitor.ts';
import { silentLogger } from '../../support/loggers.ts';

const targets = ['ap-one', 'ap-two', 'ap-three'].map((region) => quotaTarget('a', region));
const answer = { snapshot: quotas(quota({ used: 1, limit: 10 })), anomalies: [] };
const clock = { now: () => 1_000 };

/** Answers about the first target, and never about another one. */
const answersFirst: PollOnceOptions['poll'] = ({ region }, { signal }) =>
  region === 'ap-one'
    ? Promise.resolve(answer)
    : new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new CodedError('NetworkError', 'cut short'));
        });
      });

/** Polls the targets, and returns their regions with the codes of their failures. */
async function poll(options: Partial<PollOnceOptions>) {
  const polled: TargetRecord[] = [];
  const never = new AbortController().signal;
  const records = await pollOnce({
    collectors,
    clock,
    log: new PollLog(silentLogger, clock),
    accounts: ['a'],
    targetsOf: () => targets,
    poll: () => Promise.resolve(answer),
    signal: never,
    timeLimit: never,
    ...options,
    onPolled: (record) => {
      polled.push(record);
      options.onPolled?.(record);
    },
  });
  expect(new Set(polled)).toEqual(new Set(records.values()));
  return targets.map((target) => {
    const record = records.get(targetKey(target));
    return record === undefined ? 'none' : (record.seen.freshness.failure?.code ?? 'ok');
  });
}

test('an abort ends it with the records it has, and none for what it cut short', async () => {
  const stopping = new AbortController();

  const codes = await poll({
    poll: answersFirst,
    signal: stopping.signal,
    onPolled: () => {
      stopping.abort();
    },
  });

  expect(codes).toEqual(['ok', 'none', 'none']);
});

test('what has no answer at the time limit has failed with Timeout', async () => {
  const limit = new AbortController();

  const codes = await poll({
    poll: answersFirst,
    timeLimit: limit.signal,
    onPolled: () => {
      limit.abort(new CodedError('Timeout', 'the time limit'));
    },
  });

  expect(codes).toEqual(['ok', 'Timeout', 'Timeout']);
});
