/** Two things that go wrong at once, tried with the store of files. */
import { BoundedCalls } from '../../../src/files/bounded-calls.ts';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import type { LaunchTemplateRecord } from '../../../src/collectors/launch-template/launch-template.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import { targetKey, type Target } from '../../../src/model/target.ts';
import { PollLog } from '../../../src/poll/poll-log.ts';
import { pollTarget } from '../../../src/poll/poll-target.ts';
import type { FileSystem } from '../../../src/state/file-system.ts';
import { RecordKeeper } from '../../../src/state/record-keeper.ts';
import { temporaryDirectory } from '../../helpers/directories.ts';
import { templateTarget } from '../../helpers/fake-monitor.ts';
import {
  failingFileSystem,
  foreignProcess,
  formerProcess,
  openStore,
} from '../../helpers/file-stores.ts';
import { hangingFileSystem } from '../../helpers/hanging-file-system.ts';
import { silentLogger } from '../../helpers/silent-logger.ts';
import { templateSnapshot } from '../../helpers/snapshots.ts';

const target = templateTarget('production', 'ap-guangzhou', 'lt-1');
const quick = { minMs: 5, maxMs: 5 };
const never = { minMs: 1_000_000, maxMs: 1_000_000 };
const bounds = { timeoutMs: 1_000, maxCalls: 3 };

interface DiskOptions {
  readonly fileSystem?: FileSystem;
  readonly retry?: typeof quick;
}

/** A daemon that watches one template, and what it says. */
async function daemonOn(directory: string, { fileSystem, retry = never }: DiskOptions = {}) {
  const store = await openStore(directory, {
    ...(fileSystem !== undefined && { fileSystem, calls: new BoundedCalls(bounds) }),
    self: await formerProcess(),
  });
  const published = new PublishedRecords();
  const lines: string[] = [];
  const write = (message: string, fields: { from?: number; to?: number } = {}) => {
    lines.push(message === 'change' ? `change ${fields.from} to ${fields.to}` : message);
  };
  const logger = { ...silentLogger, info: write, warn: write, error: write };
  const clock = { now: () => 1_000 };
  const log = new PollLog(logger, clock);
  const onLate = log.changed.bind(log);
  const keeper = new RecordKeeper({ store, collectors, published, logger, onLate, retry });
  await keeper.restore([target]);
  return {
    keeper,
    lines,
    published,
    restore: (targets: readonly Target[]) => keeper.restore(targets),
    poll: (version: number, appId = 1) => {
      const defaultVersion = { version, imageId: '', instanceType: '', chargeType: '' };
      const snapshot = templateSnapshot({ versions: [1, 2, 3], defaultVersion, appId });
      const context = {
        isGone: () => false,
        signal: new AbortController().signal,
        deadlineMs: Infinity,
        trendStepMs: 900_000,
      };
      return pollTarget(target, context, {
        poll: () => Promise.resolve({ snapshot, anomalies: [] }),
        keep: keeper.keep.bind(keeper),
        leavesOut: () => false,
        collectors,
        published,
        log,
        clock,
      });
    },
    stop: async () => {
      await keeper.flush();
      const lost = keeper.reportLost();
      await store.close();
      return lost;
    },
    shown: () => published.get(targetKey(target)) as LaunchTemplateRecord | undefined,
    feed: () => published.changes().map(({ from, to }) => [from, to]),
  };
}

/** The record of a stopped daemon, which has seen these default versions. */
async function leave(directory: string, versions: readonly number[]): Promise<void> {
  const daemon = await daemonOn(directory);
  for (const version of versions) await daemon.poll(version);
  await daemon.stop();
}

async function storedRecord(directory: string): Promise<TargetRecord | undefined> {
  const store = await openStore(directory);
  const { records } = await store.load([target]);
  await store.close();
  return records[0];
}

test('a volume that appears right before a stop is read, continued and written to', async () => {
  const directory = join(await temporaryDirectory(), 'data');
  await leave(directory, [1]);
  await rename(directory, `${directory}.volume`);
  const failures = new Map<keyof FileSystem, string>();
  const daemon = await daemonOn(directory, { fileSystem: failingFileSystem(failures) });
  failures.set('write', 'ENOSPC');
  await daemon.poll(2);
  failures.clear();
  await rm(directory, { recursive: true });
  await rename(`${directory}.volume`, directory);

  expect(await daemon.stop()).toEqual([]);

  expect(await storedRecord(directory)).toMatchObject({ defaultVersionChanges: 1 });
  expect(daemon.lines).toContain('change 1 to 2');
  expect(daemon.feed()).toEqual([[1, 2]]);
});

test('a kill after a change was stored and before it was shown: it is in the next feed, and not found again', async () => {
  const directory = await temporaryDirectory();
  await leave(directory, [1]);
  const { fileSystem, hold, release, waiting } = hangingFileSystem();
  const killed = await daemonOn(directory, { fileSystem });
  hold('syncDirectory');
  const polling = killed.poll(2);
  await expect.poll(waiting).toBe(1);

  const next = await daemonOn(directory);
  await next.poll(2);

  expect(next.shown()).toMatchObject({ defaultVersionChanges: 1 });
  expect(next.feed()).toEqual([[1, 2]]);
  expect(next.lines).toEqual([]);
  release();
  await polling;
});

test('a storage that cannot be read at a start: the feed has the stored changes when it can be read', async () => {
  const directory = await temporaryDirectory();
  await leave(directory, [1, 2]);
  const failures = new Map<keyof FileSystem, string>([['read', 'EMFILE']]);
  const daemon = await daemonOn(directory, {
    fileSystem: failingFileSystem(failures),
    retry: quick,
  });
  await daemon.poll(3);

  failures.clear();

  await expect.poll(() => daemon.feed().length).toBeGreaterThan(0);
  expect(daemon.feed()).toEqual([
    [1, 2],
    [2, 3],
  ]);
  await daemon.stop();
});

test('another account behind a name while nothing can be stored: a new baseline, before and after a restart', async () => {
  const directory = await temporaryDirectory();
  await leave(directory, [1]);
  const failures = new Map<keyof FileSystem, string>();
  const daemon = await daemonOn(directory, {
    fileSystem: failingFileSystem(failures),
    retry: quick,
  });
  failures.set('write', 'ENOSPC');

  await daemon.poll(2, 7);
  const killed = await daemonOn(directory, { fileSystem: failingFileSystem(failures) });
  await killed.poll(2, 7);
  failures.clear();
  await expect.poll(() => daemon.keeper.problem).toBeNull();

  for (const { feed, lines } of [daemon, killed]) {
    expect(feed()).toEqual([]);
    expect(lines.filter((line) => line.includes('another account'))).toHaveLength(1);
  }
  expect(await storedRecord(directory)).toMatchObject({ appId: 7, defaultVersionChanges: 0 });
});

test('another account behind a name whose record was read late: it is logged once', async () => {
  const directory = await temporaryDirectory();
  await leave(directory, [1]);
  const failures = new Map<keyof FileSystem, string>([['read', 'EMFILE']]);
  const daemon = await daemonOn(directory, {
    fileSystem: failingFileSystem(failures),
    retry: quick,
  });
  await daemon.poll(2, 7);

  failures.clear();
  await expect.poll(() => daemon.shown()?.appId === 7 && daemon.keeper.problem === null).toBe(true);
  await daemon.poll(2, 7);

  expect(daemon.feed()).toEqual([]);
  expect(daemon.lines.filter((line) => line.includes('another account'))).toHaveLength(1);
  await daemon.stop();
});

test('a reload that removes a target while its late record is stored: the change is logged and fed once', async () => {
  const directory = await temporaryDirectory();
  await leave(directory, [1]);
  const { fileSystem, hold, release, waiting } = hangingFileSystem();
  hold('read');
  const daemon = await daemonOn(directory, { fileSystem, retry: quick });
  await daemon.poll(2);
  release();
  hold('rename');
  await expect.poll(waiting).toBe(1);

  await daemon.restore([]);
  release();
  await expect.poll(() => daemon.feed().length).toBeGreaterThan(0);
  await daemon.restore([target]);
  await daemon.poll(2);

  expect(daemon.shown()).toMatchObject({ defaultVersionChanges: 1 });
  expect(daemon.feed()).toEqual([[1, 2]]);
  expect(daemon.lines.filter((line) => line.startsWith('change'))).toEqual(['change 1 to 2']);
  await daemon.stop();
});

test('a directory that hangs while a reload adds a target: its record is read when it answers', async () => {
  const directory = await temporaryDirectory();
  await leave(directory, [1, 2]);
  const { fileSystem, hold, release } = hangingFileSystem();
  const daemon = await daemonOn(directory, { fileSystem, retry: quick });
  await daemon.restore([]);
  hold('list', 'read');

  await daemon.restore([target]);
  await daemon.poll(3);
  release();
  await expect.poll(() => daemon.keeper.problem).toBeNull();
  await daemon.stop();

  expect(await storedRecord(directory)).toMatchObject({ defaultVersionChanges: 2 });
  expect(daemon.lines.filter((line) => line.startsWith('change'))).toEqual(['change 2 to 3']);
});

test('a directory that hangs while a reload adds a target without a record: its change is counted', async () => {
  const directory = await temporaryDirectory();
  const { fileSystem, hold, release } = hangingFileSystem();
  const daemon = await daemonOn(directory, { fileSystem, retry: quick });
  await daemon.restore([]);
  hold('list', 'read');

  await daemon.restore([target]);
  for (const version of [1, 2]) await daemon.poll(version);
  release();
  await expect.poll(() => daemon.keeper.problem).toBeNull();
  await expect.poll(() => daemon.feed()).toEqual([[1, 2]]);
  await daemon.stop();

  expect(await storedRecord(directory)).toMatchObject({ defaultVersionChanges: 1 });
  expect(daemon.lines.filter((line) => line.startsWith('change'))).toEqual(['change 1 to 2']);
});

test('a daemon that another one replaced while it was suspended: it counts and logs no change', async () => {
  const directory = await temporaryDirectory();
  const daemon = await daemonOn(directory);
  await daemon.poll(1);
  const holder = { ...(await foreignProcess()), pid: 4711 };
  await writeFile(join(directory, 'lock'), JSON.stringify(holder));

  await daemon.poll(2);

  expect(daemon.keeper.problem).toContain('is in use by process 4711');
  expect(daemon.shown()).toMatchObject({ defaultVersionChanges: 0 });
  expect(daemon.feed()).toEqual([]);
  expect(daemon.lines.filter((line) => line.startsWith('change'))).toEqual([]);
  await daemon.stop();
});
