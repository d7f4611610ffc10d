import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RenderQueue, textAnswer, type Answer } from '../../../src/expose/answers.ts';
import { heapBytes } from '../../support/heap.ts';

/** What happened, in order. */
let log: string[];
/** Ends the rendering of an address that runs. */
let ends: Map<string, (error?: Error) => void>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  log = [];
  ends = new Map();
});

afterEach(() => {
  vi.useRealTimers();
});

const flush = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};
const client = () => ({ destroyed: false });

/** Asks for an answer whose rendering lasts until the test ends it. */
async function ask(queue: RenderQueue, address: string, by = client()): Promise<string> {
  const answer = await queue.ask(address, by, () => {
    log.push(`${address} begins`);
    return new Promise((resolve, reject) => {
      ends.set(address, (error) => {
        if (error === undefined) resolve(textAnswer(200, address));
        else reject(error);
      });
    });
  });
  return `${answer.status} ${String(answer.body).trim()}`;
}

/** Asks for an answer that is rendered in three slices of 5 ms. */
async function askInSlices(queue: RenderQueue, address: string, by = client()): Promise<Answer> {
  return queue.ask(address, by, async (pace) => {
    for (const slice of [1, 2, 3]) {
      log.push(`${address} ${slice}`);
      vi.advanceTimersByTime(5);
      await pace();
    }
    return textAnswer(200, address);
  });
}

async function end(address: string, error?: Error): Promise<void> {
  await flush();
  ends.get(address)?.(error);
  await flush();
}

test('an answer is never older than the interval, also when a rendering takes longer', async () => {
  const queue = new RenderQueue();
  let begun = 0;
  const renderings: (() => void)[] = [];
  const asked = async () => {
    const { body } = await queue.ask('/', client(), () => {
      const number = (begun += 1);
      return new Promise((resolve) => {
        renderings.push(() => {
          resolve(textAnswer(200, String(number)));
        });
      });
    });
    return Number(body);
  };

  const first = asked();
  await flush();
  vi.advanceTimersByTime(999);
  const recent = asked();
  vi.advanceTimersByTime(1);
  const late = [asked(), asked()];
  renderings[0]!();
  await flush();
  renderings[1]!();

  expect(await Promise.all([first, recent, ...late, asked()])).toEqual([1, 1, 2, 2, 2]);
  expect(begun).toBe(2);
});

test('one rendering runs at a time, in the order of the first requests', async () => {
  const queue = new RenderQueue();
  const answers = ['a', 'b', 'a', 'c'].map((address) => ask(queue, address));
  await flush();
  expect(log).toEqual(['a begins']);

  for (const address of ['a', 'b', 'c']) await end(address);

  expect(log).toEqual(['a begins', 'b begins', 'c begins']);
  expect(await Promise.all(answers)).toEqual(['200 a', '200 b', '200 a', '200 c']);
});

test('a rendering that waits is dropped when all its clients have left', async () => {
  const queue = new RenderQueue();
  const [left, alsoLeft, stays] = [client(), client(), client()];
  void ask(queue, 'a');
  void ask(queue, 'left', left);
  void ask(queue, 'half', alsoLeft);
  const half = ask(queue, 'half', stays);
  left.destroyed = alsoLeft.destroyed = true;

  await end('a');
  await end('half');

  expect(log).toEqual(['a begins', 'half begins']);
  expect(await half).toBe('200 half');
});

test('a rendering that runs is dropped at its next slice when all its clients have left', async () => {
  const queue = new RenderQueue();
  const left = client();
  void askInSlices(queue, 'left', left);
  while (log.length === 0) await new Promise(setImmediate);
  left.destroyed = true;

  const next = await askInSlices(queue, 'next');
  const again = await askInSlices(queue, 'left');

  expect(log.filter((line) => line.startsWith('left'))).toEqual([
    'left 1',
    ...['left 1', 'left 2', 'left 3'],
  ]);
  expect([next.status, again.status]).toEqual([200, 200]);
});

test('a client that asks while a rendering is dropped gets its own', async () => {
  const queue = new RenderQueue();
  const left = client();
  const late: Promise<string>[] = [];
  void queue.ask('a', left, async (pace) => {
    left.destroyed = true;
    vi.advanceTimersByTime(5);
    await pace()?.catch((error: unknown) => {
      late.push(ask(queue, 'a'));
      throw error;
    });
    return textAnswer(200, 'not dropped');
  });
  await flush();
  await end('a');

  expect(await Promise.all(late)).toEqual(['200 a']);
});

test('a request that would be the 65th rendering that waits is answered 503, and others are not', async () => {
  const queue = new RenderQueue();
  const leaves = client();
  void ask(queue, 'runs');
  await flush();
  void ask(queue, '1', leaves);
  for (let waiting = 2; waiting <= 64; waiting += 1) void ask(queue, String(waiting));

  const refused = await queue.ask('65', client(), () => Promise.reject(new Error('rendered')));
  const shared = ask(queue, '2');
  leaves.destroyed = true;
  const admitted = ask(queue, '66');
  for (const address of ['runs', ...Array.from({ length: 66 }, (_, i) => String(i + 1))]) {
    await end(address);
  }

  expect([refused.status, refused.headers['Retry-After']]).toEqual([503, '10']);
  expect(await Promise.all([shared, admitted])).toEqual(['200 2', '200 66']);
  expect(log).not.toContain('1 begins');
});

test('a client that has waited for 10 s is answered 503, but not while its rendering runs', async () => {
  const queue = new RenderQueue();
  const running = ask(queue, 'runs');
  await flush();
  const early = ask(queue, 'waits');
  vi.advanceTimersByTime(9_999);
  const late = ask(queue, 'waits');
  const third = ask(queue, 'third');
  vi.advanceTimersByTime(1);
  expect(await early).toMatch(/^503 /);

  await end('runs');
  vi.advanceTimersByTime(60_000);
  await end('waits');
  await end('third');

  expect(await Promise.all([running, late])).toEqual(['200 runs', '200 waits']);
  expect(await third).toMatch(/^503 /);
  expect(log).toEqual(['runs begins', 'waits begins']);
});

test('a queue stands still between two slices while the one before it renders', async () => {
  const scrapes = new RenderQueue();
  const readers = new RenderQueue(1_000, scrapes);
  const list = askInSlices(readers, 'list');
  while (log.length === 0) await new Promise(setImmediate);

  const scrape = ask(scrapes, 'scrape');
  const page = ask(readers, 'page');
  await flush();
  const during = [...log];
  await end('scrape');
  await list;
  await end('page');

  expect(during).toEqual(['list 1', 'scrape begins']);
  expect(log).toEqual(['list 1', 'scrape begins', 'list 2', 'list 3', 'page begins']);
  expect(await Promise.all([scrape, page])).toEqual(['200 scrape', '200 page']);
});

test('a rendering that fails fails for all who wait, and the next request renders again', async () => {
  const queue = new RenderQueue();
  const failed = Promise.allSettled([ask(queue, 'a'), ask(queue, 'a')]);
  const next = ask(queue, 'b');
  await end('a', new Error('a fault of ours'));
  await end('b');
  const again = ask(queue, 'a');
  await end('a');

  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await Promise.all([next, again])).toEqual(['200 b', '200 a']);
});

test('an answer is not kept longer than the interval', async () => {
  const bytes = 64 * 1024 * 1024;
  const queue = new RenderQueue();
  const keptBytes = () => {
    heapBytes();
    return process.memoryUsage().arrayBuffers - before;
  };
  heapBytes();
  const before = process.memoryUsage().arrayBuffers;

  const render = () => Promise.resolve({ ...textAnswer(200, ''), body: Buffer.alloc(bytes) });
  const { status } = await queue.ask('/', client(), render);
  const during = keptBytes();
  vi.advanceTimersByTime(1_000);
  await flush();

  expect([status, during >= bytes, keptBytes() < bytes / 2]).toEqual([200, true, true]);
});
