import { expect, it } from 'vitest';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import { targetKey, type Target } from '../../../src/model/target.ts';
import { DamagedFiles } from '../../../src/state/damaged-files.ts';
import type { LoadReport } from '../../../src/state/store.ts';
import { UnreadTargets } from '../../../src/state/unread-targets.ts';
import { createMemoryStore } from '../../helpers/memory-store.ts';
import { quotaRecord } from '../../helpers/records.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';

const recordOfA = quotaRecord('ap-a');
const a = recordOfA.target;
const b = quotaRecord('ap-b').target;

const reasonOf = ({ region }: Target) => `EIO ${region}`;

function setUp(...targets: readonly Target[]) {
  const published = new PublishedRecords();
  const { logger, lines } = recordingLogger();
  const damaged = new DamagedFiles(logger);
  const load = (): Promise<LoadReport> => Promise.reject(new Error('closed'));
  const store = { ...createMemoryStore(), load };
  const unread = new UnreadTargets({ store, published, logger, damaged });
  for (const target of targets) unread.add({ target, reason: reasonOf(target) });
  return {
    unread,
    published,
    lines,
    damaged,
    /** Reads from a store that gives this report. */
    read: (report: Partial<LoadReport>) => {
      store.load = () => Promise.resolve({ records: [], damaged: [], unread: [], ...report });
      return unread.read();
    },
  };
}

it('logs the first unread target, and when the last was read', async () => {
  const { unread, lines, published, read } = setUp(a, b);
  expect(published.isProvisional(targetKey(b))).toBe(true);
  expect(unread.problem).toMatch(/^2 .*EIO ap-b$/);

  const onlyA = await read({ records: [recordOfA], unread: [{ target: b, reason: 'EACCES' }] });
  expect(onlyA).toEqual([{ target: a, stored: recordOfA }]);
  expect(unread.problem).toMatch(/^1 .*EACCES$/);
  expect(await read({})).toEqual([{ target: b, stored: undefined }]);
  expect(await read({})).toEqual([]);

  expect(unread.size).toBe(0);
  expect(unread.problem).toBeNull();
  expect(lines.map(({ level, fields }) => [level, fields])).toEqual([
    ['error', { reason: 'EIO ap-a' }],
    ['info', {}],
  ]);
});

it('keeps all of them when the store cannot be asked', async () => {
  const { unread } = setUp(a);

  expect(await unread.read()).toEqual([]);

  expect(unread.problem).toMatch(/^1 .*EIO ap-a$/);
});

it('counts the damaged files that it finds', async () => {
  const { damaged, read } = setUp(a);

  await read({ damaged: [{ file: 'a.json', movedTo: null, reason: 'no JSON' }] });

  expect(damaged.count).toBe(1);
});

it('keeps the reason of targets that a reload added while others were read', async () => {
  const { unread, read } = setUp(a);

  const reading = read({});
  unread.add({ target: b, reason: reasonOf(b) });

  expect(await reading).toMatchObject([{ target: a }]);
  expect(unread.problem).toMatch(/^1 .*EIO ap-b$/);
});

it('returns no target that a reload removed while it was read', async () => {
  const { unread, read } = setUp(a, b);

  const reading = read({});
  unread.keepOnly(new Set([targetKey(b)]));

  expect(unread.problem).toMatch(/^1 .*EIO ap-b$/);
  expect(await reading).toMatchObject([{ target: b }]);
});

it('has no problem, and logs nothing, when a reload removed all of them while they were read', async () => {
  const { unread, lines, read } = setUp(a);

  const reading = read({});
  unread.keepOnly(new Set());

  expect(await reading).toEqual([]);
  expect(unread.problem).toBeNull();
  expect(lines).toHaveLength(1);
  unread.add({ target: b, reason: 'EIO' });
  expect(lines).toHaveLength(2);
});
