import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { unlessAborted } from '../../../src/model/async.ts';

const never = new Promise<string>(() => undefined);

test.each([
  ['succeeds', () => Promise.resolve('done')],
  ['fails', () => Promise.reject(new Error('failed'))],
])('work that %s gives its result, and leaves nothing at the signal', async (_what, begin) => {
  const { signal } = new AbortController();
  const work = begin();

  const results = await Promise.allSettled([unlessAborted(work, signal), work]);

  expect(results[0]).toEqual(results[1]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test.each([
  ['that aborts', () => undefined],
  [
    'that has aborted',
    (stopping: AbortController) => {
      stopping.abort(new Error('stop'));
    },
  ],
])('work that does not end rejects with the reason of a signal %s', async (_what, before) => {
  const stopping = new AbortController();
  before(stopping);

  const result = unlessAborted(never, stopping.signal);
  stopping.abort(new Error('stop'));

  await expect(result).rejects.toThrow('stop');
});

test('a reason that is no error becomes one', async () => {
  await expect(unlessAborted(never, AbortSignal.abort('any reason'))).rejects.toThrow('aborted');
});
