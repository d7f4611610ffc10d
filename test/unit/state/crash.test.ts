import { describe, expect, it } from 'vitest';
import type { TargetRecord } from '../../../src/model/record.ts';
import type { LoadReport, Store } from '../../../src/state/store.ts';
import { formerProcess, openStore } from '../../helpers/file-stores.ts';
import { MemoryDisk, ends, type End } from '../../helpers/memory-disk.ts';
import { quotaRecord, targetsOf } from '../../helpers/records.ts';

const older = [quotaRecord('ap-guangzhou', 10), quotaRecord('ap-shanghai', 10)];
const newer = [quotaRecord('ap-guangzhou', 20), quotaRecord('ap-shanghai', 20)];

/** Opens a store as a process that is dead when the next one comes. */
const openOn = async (disk: MemoryDisk): Promise<Store> =>
  openStore('/data', { fileSystem: disk, self: await formerProcess() });

/** Saves the older records, then the newer ones on a disk that ends `steps` steps into that. */
async function saveUntil(steps: number) {
  const disk = new MemoryDisk();
  const store = await openOn(disk);
  await Promise.all(older.map((record) => store.save(record)));
  const stepsBefore = disk.stepsTaken;
  disk.endAfter(steps);
  const saves = await Promise.allSettled(newer.map((record) => store.save(record)));
  const isSaved = saves.map(({ status }) => status === 'fulfilled');
  return { disk, isSaved, stepsTaken: disk.stepsTaken - stepsBefore };
}

async function loadAfter(disk: MemoryDisk, end: End): Promise<LoadReport> {
  const store = await openOn(disk.after(end));
  const report = await store.load(targetsOf(...older));
  await store.close();
  return report;
}

const find = (records: readonly TargetRecord[], region: string) =>
  records.find(({ target }) => target.region === region);

describe('a save that ends between two of its steps', () => {
  it.each(ends)(
    'leaves the older or the newer record after a %s, and the newer one if it was confirmed',
    async (end) => {
      const { stepsTaken } = await saveUntil(Infinity);
      expect(stepsTaken).toBeGreaterThan(10);

      for (let steps = 0; steps <= stepsTaken; steps += 1) {
        const { disk, isSaved } = await saveUntil(steps);

        const { records, damaged, unread } = await loadAfter(disk, end);

        expect([...damaged, ...unread], `after step ${steps}`).toEqual([]);
        expect(records, `after step ${steps}`).toHaveLength(2);
        for (const [index, region] of ['ap-guangzhou', 'ap-shanghai'].entries()) {
          const allowed = isSaved[index] ? [newer[index]] : [older[index], newer[index]];
          expect(allowed, `after step ${steps}`).toContainEqual(find(records, region));
        }
      }
    },
  );

  it('leaves no temporary file behind once the next process has loaded', async () => {
    const { stepsTaken } = await saveUntil(Infinity);
    for (let steps = 0; steps <= stepsTaken; steps += 1) {
      const { disk } = await saveUntil(steps);
      const next = disk.after('kill');
      const store = await openOn(next);

      await store.load(targetsOf(...older));

      const names = (await next.list('/data')).toSorted();
      expect(names, `after step ${steps}`).toEqual(
        [
          'lock',
          'production@ap-guangzhou@DescribeAccountQuota.json',
          'production@ap-shanghai@DescribeAccountQuota.json',
        ].toSorted(),
      );
    }
  });
});
