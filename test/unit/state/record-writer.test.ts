import { expect, it } from 'vitest';
import { targetKey } from '../../../src/model/target.ts';
import { DamagedFiles } from '../../../src/state/damaged-files.ts';
import { RecordWriter } from '../../../src/state/record-writer.ts';
import { createMemoryStore } from '../../helpers/memory-store.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { quotaRecord } from '../../helpers/records.ts';

const records = Array.from({ length: 12 }, (_, i) => quotaRecord(`region-${i}`));
const keys = records.map(({ target }) => targetKey(target));

function setUp(save: () => Promise<void>) {
  const { logger, lines } = recordingLogger();
  const writer = new RecordWriter({
    store: { ...createMemoryStore(), save },
    logger,
    damaged: new DamagedFiles(logger),
    onFailure: () => undefined,
  });
  return { writer, lines };
}

it('names at the end some of the records that were lost, their number, and the reason', async () => {
  const { writer, lines } = setUp(() => Promise.reject(new Error('disk full')));
  for (const record of records) await writer.write(record);

  expect(writer.reportLost(15)).toEqual(records);

  expect(lines.slice(1).map(({ level, fields }) => [level, fields])).toEqual([
    ['error', { records: 12, targets: keys.slice(0, 10), reason: 'disk full' }],
    ['warn', { records: 3, reason: 'disk full' }],
  ]);
});

it('reports a record whose write has not ended, of a storage without a failure', () => {
  const { writer, lines } = setUp(() => new Promise(() => undefined));
  void writer.write(records[0]!);

  expect(writer.reportLost(1)).toEqual([records[0]]);

  expect(lines).toMatchObject([{ fields: { records: 1, targets: [keys[0]] } }]);
  expect(lines[0]?.fields.reason).toMatch(/slow/);
});

it('knows nothing of what another storage holds', async () => {
  const storage = { generation: 1 };
  const { logger } = recordingLogger();
  const writer = new RecordWriter({
    store: {
      ...createMemoryStore(),
      get generation() {
        return storage.generation;
      },
    },
    logger,
    damaged: new DamagedFiles(logger),
    onFailure: () => undefined,
  });
  const [record] = records;
  await writer.write(record!);
  expect(writer.holds(record!)).toBe(true);

  storage.generation = 2;

  expect(writer.holds(record!)).toBe(false);
});

it('forgets what the storage holds of targets that a reload removed', async () => {
  const { writer } = setUp(() => Promise.resolve());
  for (const record of records) await writer.write(record);

  writer.keepOnly(new Set(keys.slice(1)));

  expect(records.map((record) => writer.holdsCounted(record))).toEqual([
    false,
    ...keys.slice(1).map(() => true),
  ]);
});
