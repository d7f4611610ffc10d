import { collectors } from '../../../../../src/collectors/collectors.ts';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { changesJson } from '../../../../../src/expose/web/json/changes.ts';
import { changeOf, type Change } from '../../../../../src/model/change.ts';
import { newRecord } from '../../../../helpers/advance.ts';
import {
  FakeMonitor,
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../../../../helpers/fake-monitor.ts';

const guangzhou = quotaTarget('production', 'ap-guangzhou');
const tokyo = quotaTarget('staging', 'ap-tokyo');
const web = templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq');
const limit = (value: number) => quotas(quota({ used: 1, limit: value }));

const everything = { account: [], region: [], kind: [], limit: 1_000 };

function versionCreated(atMs: number, version: number): Change {
  return changeOf(web, atMs, { kind: 'version-created', from: null, to: version });
}

interface ChangesAnswer {
  changes: { id: string; time: string; kind: string; to: unknown }[];
  total: number;
  next_cursor: string | null;
}

let monitor: FakeMonitor;

async function changes(query = ''): Promise<ChangesAnswer> {
  const { status, body } = await monitor.json(`/api/v1/changes${query}`);
  expect(status).toBe(200);
  return body as ChangesAnswer;
}
const limitsOf = (answer: ChangesAnswer) => answer.changes.map(({ to }) => to);

/** Raises the limit of a target once a minute, from 101 on. */
function raise(times: number): void {
  for (let i = 0; i < times; i += 1) {
    const last = Number(monitor.published.changes().at(-1)?.to ?? 100);
    monitor.nowMs += 60_000;
    monitor.poll(guangzhou, limit(last + 1));
  }
}

beforeEach(() => {
  monitor = new FakeMonitor(guangzhou, tokyo, web);
  monitor.nowMs = Date.UTC(2026, 1, 3, 14, 0, 0);
  monitor.poll(guangzhou, limit(100));
  monitor.poll(tokyo, limit(100));
  monitor.poll(web, versions([1, 2], 1));
});

describe('a change', () => {
  test('says what changed, where, when, and in words', async () => {
    monitor.nowMs += 60_000;
    monitor.poll(web, versions([1, 2], 2));

    expect((await changes()).changes).toEqual([
      {
        id: expect.stringMatching(/^1770127260000-[0-9a-f]{12}$/),
        time: '2026-02-03T14:01:00.000Z',
        kind: 'default-version-changed',
        account: 'production',
        region: 'ap-guangzhou',
        template_id: 'lt-b8v1kcyq',
        quota_type: null,
        zone: null,
        from: 1,
        to: 2,
        text: 'production ap-guangzhou lt-b8v1kcyq: default version changed from 1 to 2',
      },
    ]);
  });
});

describe('paging', () => {
  test('gives the newest first and every change once', async () => {
    raise(7);

    const first = await changes('?limit=3');
    const second = await changes(`?limit=3&cursor=${first.next_cursor!}`);
    const third = await changes(`?limit=3&cursor=${second.next_cursor!}`);

    expect(limitsOf(first)).toEqual([107, 106, 105]);
    expect(limitsOf(second)).toEqual([104, 103, 102]);
    expect(limitsOf(third)).toEqual([101]);
    expect(third.next_cursor).toBeNull();
    expect(first.total).toBe(7);
  });

  test('neither repeats nor skips a change when new ones arrive in between', async () => {
    raise(5);

    const first = await changes('?limit=2');
    raise(4);
    const second = await changes(`?limit=10&cursor=${first.next_cursor!}`);

    expect(limitsOf(second)).toEqual([103, 102, 101]);
  });

  test('goes on behind a cursor that the feed has dropped', async () => {
    raise(5);
    const { next_cursor: cursor } = await changes('?limit=2');
    const kept = monitor.published.changes().filter(({ to }) => to !== 104);
    const restarted = new FakeMonitor();
    restarted.published.publish(newRecord(guangzhou), kept);
    monitor = restarted;

    expect(limitsOf(await changes(`?cursor=${cursor!}`))).toEqual([103, 102, 101]);
  });

  test('tells changes of one poll apart', async () => {
    monitor.nowMs += 60_000;
    monitor.poll(web, versions([1, 2, 3, 4, 5], 5));

    const seen: string[] = [];
    let cursor: string | null = '';
    for (let answers = 0; cursor !== null && answers < 10; answers += 1) {
      const answer: ChangesAnswer = await changes(`?limit=1&cursor=${cursor}`);
      seen.push(...answer.changes.map(({ kind, to }) => `${kind} ${String(to)}`));
      cursor = answer.next_cursor;
    }

    expect(seen).toEqual([
      'default-version-changed 5',
      'version-created 5',
      'version-created 4',
      'version-created 3',
    ]);
  });

  test('gives every change once, whatever arrives and wherever pages end', () => {
    const times = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 30 });
    const limits = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1 });
    fc.assert(
      fc.property(times, times, limits, (before, arriving, sizes) => {
        const feed = before.map((atMs, i) => versionCreated(atMs, i));
        const whole = changesJson(feed, everything, collectors).changes;

        const seen = [];
        let cursor: string | null | undefined;
        for (let i = 0; cursor !== null && i <= before.length; i += 1) {
          const limit = sizes[i % sizes.length]!;
          const answer = changesJson(feed, { ...everything, limit, cursor }, collectors);
          seen.push(...answer.changes);
          cursor = answer.next_cursor;
          const later = arriving[i];
          if (later !== undefined) feed.push(versionCreated(10 + later, 1_000 + i));
        }

        expect(seen).toEqual(whole);
        expect(cursor).toBeNull();
      }),
    );
  });

  test('has an end after the last change, also when it fills the answer', async () => {
    raise(2);

    expect((await changes('?limit=2')).next_cursor).toBeNull();
    expect(await changes('?account=nobody')).toEqual({ changes: [], total: 0, next_cursor: null });
  });
});

describe('filters', () => {
  beforeEach(() => {
    monitor.nowMs += 60_000;
    monitor.poll(guangzhou, limit(90));
    monitor.poll(tokyo, limit(110));
    monitor.nowMs += 60_000;
    monitor.poll(web, versions([1, 2], 2));
  });

  test.each([
    ['?account=staging', ['quota-limit-raised']],
    ['?account=staging&account=production', 3],
    ['?region=ap-guangzhou', ['default-version-changed', 'quota-limit-lowered']],
    ['?account=production&region=ap-tokyo', []],
    ['?kind=quota-limit-lowered', ['quota-limit-lowered']],
    ['?kind=quota-limit-lowered&kind=quota-limit-raised', 2],
    ['?from=2026-02-03T14:02:00Z', ['default-version-changed']],
    ['?to=2026-02-03T14:02:00Z', 2],
    ['?from=2026-02-03T15:02:00%2B01:00', ['default-version-changed']],
    ['?from=1770127320000', ['default-version-changed']],
    ['?from=1770127260000&to=1770127320000', 2],
    ['?from=2026-02-04', []],
    ['?account=&region=&kind=&from=&to=&limit=&cursor=', 3],
  ] as const)('%s', async (query, expected) => {
    const { changes: found, total } = await changes(query);

    const kinds = found.map(({ kind }) => kind);
    expect(typeof expected === 'number' ? kinds.length : kinds).toEqual(expected);
    expect(total).toBe(found.length);
  });
});

describe('a bad query', () => {
  const limitMessage = 'limit must be a whole number from 1 to 1000';
  const timeMessage =
    'must be a time such as 2026-02-03T14:05:00Z, or milliseconds since the Unix epoch';
  const cursorMessage = 'cursor must be the next_cursor of an answer';

  test.each([
    ['limit=0', limitMessage],
    ['limit=1001', limitMessage],
    ['limit=-1', limitMessage],
    ['limit=10.5', limitMessage],
    ['limit=ten', limitMessage],
    ['limit=1&limit=2', 'limit must be given once'],
    ['from=yesterday', `from ${timeMessage}`],
    ['from=2026-02-03T14:05:00', `from ${timeMessage}`],
    ['to=2026-13-01', `to ${timeMessage}`],
    ['to=-5', `to ${timeMessage}`],
    ['cursor=1770127260000', cursorMessage],
    ['cursor=../../etc', cursorMessage],
    ['kind=quota', `kind must be one of ${collectors.changeKinds.join(', ')}`],
    [
      'acount=production',
      'unknown parameter acount; allowed are account, cursor, from, kind, limit, region, to',
    ],
    [
      '__proto__=1',
      'unknown parameter __proto__; allowed are account, cursor, from, kind, limit, region, to',
    ],
    ['limit=0&from=x', `from ${timeMessage}; ${limitMessage}`],
  ])('%s is answered 400 with the parameter and what it takes', async (query, error) => {
    const response = await monitor.get(`/api/v1/changes?${query}`);

    expect(response.status).toBe(400);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(await response.json()).toEqual({ error });
  });
});
