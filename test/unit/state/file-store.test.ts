import type { QuotaTarget } from '../../../src/collectors/quota/quota.ts';
import { execFileSync } from 'node:child_process';
import {
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { continueRecord } from '../../helpers/advance.ts';
import { temporaryDirectory } from '../../helpers/directories.ts';
import { nowMs, openStore } from '../../helpers/file-stores.ts';
import { quotaRecord, targetsOf } from '../../helpers/records.ts';
import { describeStoreContract } from './store-contract.ts';
import fc from 'fast-check';

const file = 'production@ap-guangzhou@DescribeAccountQuota.json';
const damagedName = `${file}.damaged-20251120T120000.000Z`;
const other = quotaRecord('ap-shanghai');
const both = targetsOf(quotaRecord('ap-guangzhou'), other);

describeStoreContract('the file store', async () => openStore(await temporaryDirectory()));

/** A closed store's directory with two records, and the path of the one to be damaged. */
async function filledDirectory() {
  const directory = await temporaryDirectory();
  const store = await openStore(directory);
  await store.save(quotaRecord('ap-guangzhou'));
  await store.save(other);
  await store.close();
  return { directory, path: join(directory, file) };
}

async function loadOnce(directory: string) {
  const store = await openStore(directory);
  const report = await store.load(both);
  await store.close();
  return report;
}

describe('the file store', () => {
  it('keeps records across a restart', async () => {
    const { directory } = await filledDirectory();

    const { records } = await loadOnce(directory);

    expect(records.toSorted((a, b) => a.target.region.localeCompare(b.target.region))).toEqual([
      quotaRecord('ap-guangzhou'),
      other,
    ]);
  });

  it('forgets what it read or wrote of targets that are gone, and of no others', async () => {
    const store = await openStore(await temporaryDirectory());
    const [live, gone] = [quotaRecord('ap-guangzhou'), quotaRecord('ap-shanghai')];
    await Promise.all([store.save(live), store.save(gone)]);

    store.keepOnly(({ region }) => region === live.target.region);

    await store.save(quotaRecord('ap-guangzhou', 2));
    // A record that it knows is replaced.
    await expect(store.save(quotaRecord('ap-shanghai', 2))).rejects.toMatchObject({ found: gone });
    await store.close();
  });

  it('looks at the file of a target again that had no record when it went away', async () => {
    const { directory } = await filledDirectory();
    const store = await openStore(directory);
    await rename(join(directory, file), join(directory, 'aside'));
    await store.load(both);

    store.keepOnly(() => false);

    await rename(join(directory, 'aside'), join(directory, file));
    await expect(store.save(quotaRecord('ap-guangzhou', 2))).rejects.toMatchObject({
      found: quotaRecord('ap-guangzhou'),
    });
    await store.close();
  });

  it('keeps the record of a target of which other quotas are selected now', async () => {
    const directory = await temporaryDirectory();
    const selection = { quotaTypes: ['image' as const], zones: null };
    const continued = continueRecord(other, { ...other.target, selection } as QuotaTarget);
    const store = await openStore(directory);
    await store.save(continued);
    await store.close();

    expect(await loadOnce(directory)).toEqual({
      records: [continued],
      damaged: [],
      unread: [],
    });
  });

  it('creates its directory and those above it', async () => {
    const directory = join(await temporaryDirectory(), 'var', 'lib');
    const store = await openStore(directory);

    await store.save(other);

    expect((await store.load(both)).records).toEqual([other]);
    await store.close();
  });

  it('leaves one file per target behind, in a form that names its version', async () => {
    const { directory, path } = await filledDirectory();

    expect(await readdir(directory)).toEqual([
      file,
      'production@ap-shanghai@DescribeAccountQuota.json',
    ]);
    const record = quotaRecord('ap-guangzhou');
    const { lastPoll, lastSuccessAtMs, failure } = record.seen.freshness;
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      version: 1,
      record: { ...record, freshness: { lastPoll, lastSuccessAtMs, failure } },
    });
  });
});

describe('a file of an older version', () => {
  it('that has no times of limit changes is read without them', async () => {
    const { directory, path } = await filledDirectory();
    const present = await loadOnce(directory);
    const whole = await readFile(path, 'utf8');
    const older = whole.replace(/,"raisedAtMs":null,"loweredAtMs":null/g, '');
    expect(older).not.toBe(whole);
    await writeFile(path, older);

    const { records, damaged } = await loadOnce(directory);

    expect(damaged).toEqual([]);
    expect(new Set(records)).toEqual(new Set(present.records));
  });
});

describe('a damaged file', () => {
  it('is reported when it is cut off at any length, and every other target loads', async () => {
    const { directory, path } = await filledDirectory();
    const whole = await readFile(path, 'utf8');
    const store = await openStore(directory);

    for (let length = 0; length < whole.length; length += 1) {
      await writeFile(path, whole);
      await truncate(path, length);

      const { records, damaged } = await store.load(both);

      // Without its last byte, the newline, the text still says everything.
      const isWhole = length === whole.length - 1;
      expect(damaged.length, `cut at ${length}`).toBe(isWhole ? 0 : 1);
      expect(records.length, `cut at ${length}`).toBe(isWhole ? 2 : 1);
      expect(records, `cut at ${length}`).toContainEqual(other);
    }
    await store.close();
  });

  it('is reported whatever bytes it holds, and every other target loads', async () => {
    const { directory, path } = await filledDirectory();
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => new TextEncoder().encode(text)),
    );

    const store = await openStore(directory);

    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        await writeFile(path, content);

        const { records, damaged } = await store.load(both);

        expect(records).toEqual([other]);
        expect(damaged).toMatchObject([{ file }]);
      }),
      { numRuns: 1_000 },
    );
    await store.close();
  });

  it.each([
    ['is empty', '', /^empty/],
    ['is no JSON', '{"version":1,', /^not JSON/],
    ['is other JSON', '[1,2,3]', /has no version/],
    ['lacks the record', '{"version":1}', /record/],
    ['was written by a newer version', '{"version":2,"record":{}}', /newer version/],
  ])('that %s is moved aside and the reason told', async (_, text, reason) => {
    const { directory, path } = await filledDirectory();
    await writeFile(path, text);

    const { damaged } = await loadOnce(directory);

    expect(damaged).toEqual([
      { file, movedTo: damagedName, reason: expect.stringMatching(reason) as unknown },
    ]);
    expect(await readFile(join(directory, damagedName), 'utf8')).toBe(text);
    expect(await readdir(directory)).not.toContain(file);
  });

  it.each([
    ['a negative counter', (text: string) => text.replace('"raised":0', '"raised":-1')],
    [
      'a quota that stands twice',
      (text: string) => text.replace(/("quotas":\[)(\{.*?\})/, '$1$2,$2'),
    ],
    ['a text for a number', (text: string) => text.replace('"used":2', '"used":"2"')],
    ['another kind of record', (text: string) => text.replace('"kind":"quota"', '"kind":"other"')],
    ['another target', (text: string) => text.replace('"ap-guangzhou"', '"ap-beijing"')],
  ])('is one that holds %s', async (_, damage) => {
    const { directory, path } = await filledDirectory();
    const whole = await readFile(path, 'utf8');
    expect(damage(whole)).not.toBe(whole);
    await writeFile(path, damage(whole));

    const { records, damaged } = await loadOnce(directory);

    expect(records).toEqual([other]);
    expect(damaged).toMatchObject([{ file, movedTo: damagedName }]);
  });

  it('is one that is too large to be a record', async () => {
    const { directory, path } = await filledDirectory();
    await truncate(path, 9 * 1024 * 1024);

    const { records, damaged } = await loadOnce(directory);

    expect(records).toEqual([other]);
    expect(damaged).toMatchObject([{ file, reason: 'larger than 8388608 bytes' }]);
  });

  it.each([
    ['a folder', (path: string) => mkdir(path)],
    ['a device', (path: string) => symlink('/dev/zero', path)],
    ['a pipe', (path: string) => Promise.resolve(execFileSync('mkfifo', [path]))],
  ])('is one that is %s', async (_, make) => {
    const { directory, path } = await filledDirectory();
    await rm(path);
    await make(path);

    const { records, damaged } = await loadOnce(directory);

    expect(records).toEqual([other]);
    expect(damaged).toMatchObject([{ file, reason: 'not a regular file' }]);
  });

  it('makes room for a new record of its target', async () => {
    const { directory, path } = await filledDirectory();
    await writeFile(path, 'garbage');
    const store = await openStore(directory);
    await store.load(both);

    await store.save(quotaRecord('ap-guangzhou', 7));
    await store.close();

    const { records, damaged } = await loadOnce(directory);
    expect(damaged).toEqual([]);
    expect(records).toContainEqual(quotaRecord('ap-guangzhou', 7));
  });

  it('never replaces an earlier one, of which the newest five are kept', async () => {
    const { directory, path } = await filledDirectory();
    const texts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    for (const [index, text] of texts.entries()) {
      await writeFile(path, text);
      // Two at a time happen within one millisecond.
      const clock = { now: () => nowMs + Math.floor(index / 2) };
      const store = await openStore(directory, { clock });
      await store.load(both);
      await store.close();
    }

    const kept = (await readdir(directory)).filter((name) => name.includes('.damaged-')).toSorted();
    const contents = await Promise.all(kept.map((name) => readFile(join(directory, name), 'utf8')));
    expect(contents).toEqual(['c', 'd', 'e', 'f', 'g']);
  });
});

describe('what a process that died left in the directory', () => {
  it('is removed at the next load, and nothing else is', async () => {
    const { directory } = await filledDirectory();
    const id = '6f1c0a52-8f57-4b0e-9d2e-2f0f3a1f7c11';
    const leftovers = [`${file}.tmp-${id}`, `lock.tmp-${id}`, `lock.claim-${'0'.repeat(64)}`];
    const strangers = ['notes.txt', `${file}.bak`, 'lost+found', 'x.tmp-1'];
    for (const name of [...leftovers, ...strangers]) await writeFile(join(directory, name), 'x');

    const { records, damaged } = await loadOnce(directory);

    expect(records).toHaveLength(2);
    expect(damaged).toEqual([]);
    const names = await readdir(directory);
    expect(names).toEqual(expect.arrayContaining(strangers));
    expect(names.filter((name) => leftovers.includes(name))).toEqual([]);
  });
});
