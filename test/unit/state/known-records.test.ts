import { describe, expect, it } from 'vitest';
import { KnownRecords } from '../../../src/state/known-records.ts';
import { formatRecord, recordFileName } from '../../../src/state/record-file.ts';
import { quotaRecord } from '../../helpers/records.ts';

const contentOf = (region: string, limit?: number) => {
  const record = quotaRecord(region, limit);
  return { record, text: formatRecord(record) };
};
const live = contentOf('ap-guangzhou');
const gone = contentOf('ap-shanghai');
const [liveFile, goneFile] = [live, gone].map(({ record }) => recordFileName(record.target)) as [
  string,
  string,
];

describe('what a store knows of a file', () => {
  it('is its last text', () => {
    const known = new KnownRecords();
    const next = contentOf('ap-guangzhou', 7);
    known.note(liveFile, live, 1);
    known.note(liveFile, next, 1);

    expect(known.isKnown(liveFile, next.text)).toBe(true);
    expect(known.isKnown(liveFile, live.text)).toBe(false);
    expect(known.isKnown(goneFile, next.text)).toBe(false);
  });

  it('is nothing once it held no record', () => {
    const known = new KnownRecords();
    known.note(liveFile, live, 1);
    known.note(liveFile, null, 2);

    expect(known.isKnown(liveFile, live.text)).toBe(false);
    expect(known.wasSeenIn(2, liveFile)).toBe(true);
    expect(known.wasSeenIn(1, liveFile)).toBe(false);
  });

  it('is forgotten of targets that are gone, and of files without a record', () => {
    const known = new KnownRecords();
    known.note(liveFile, live, 1);
    known.note(goneFile, gone, 1);
    known.note('none', null, 1);

    known.keepOnly(({ region }) => region === 'ap-guangzhou');

    expect(known.isKnown(liveFile, live.text)).toBe(true);
    expect(known.isKnown(goneFile, gone.text)).toBe(false);
    expect([liveFile, goneFile, 'none'].map((file) => known.wasSeenIn(1, file))).toEqual([
      true,
      false,
      false,
    ]);
  });
});
