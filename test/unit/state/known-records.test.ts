import { describe, expect, it } from 'vitest';
import { KnownRecords } from '../../../src/state/known-records.ts';
import { formatRecord, recordFileName } from '../../../src/state/record-file.ts';
import { quotaRecord } from '../../helpers/records.ts';

const contentOf = (region: string, limit?: number) => {
  const record = quotaRecord(region, limit);
  return { target: record.target, text: formatRecord(record) };
};
const live = contentOf('ap-guangzhou');
const gone = contentOf('ap-shanghai');
const [liveFile, goneFile] = [live, gone].map(({ target }) => recordFileName(target)) as [
  string,
  string,
];

describe('what a store knows of a file', () => {
  it('is its last text', () => {
    const known = new KnownRecords();
    const next = contentOf('ap-guangzhou', 7);
    known.note(liveFile, live.target, live.text, 1);
    known.note(liveFile, live.target, next.text, 1);

    expect(known.isKnown(liveFile, next.text)).toBe(true);
    expect(known.isKnown(liveFile, live.text)).toBe(false);
    expect(known.isKnown(goneFile, next.text)).toBe(false);
  });

  it('is nothing once it held no record', () => {
    const known = new KnownRecords();
    known.note(liveFile, live.target, live.text, 1);
    known.note(liveFile, live.target, null, 2);

    expect(known.isKnown(liveFile, live.text)).toBe(false);
    expect(known.wasSeenIn(2, liveFile)).toBe(true);
    expect(known.wasSeenIn(1, liveFile)).toBe(false);
  });

  it('is forgotten of targets that are gone, whether their file held a record or not', () => {
    const known = new KnownRecords();
    known.note(liveFile, live.target, live.text, 1);
    known.note('live, empty', live.target, null, 1);
    known.note(goneFile, gone.target, gone.text, 1);
    known.note('gone, empty', gone.target, null, 1);

    known.keepOnly(({ region }) => region === 'ap-guangzhou');

    expect(known.isKnown(liveFile, live.text)).toBe(true);
    expect(known.isKnown(goneFile, gone.text)).toBe(false);
    expect(known.wasSeenIn(1, liveFile)).toBe(true);
    expect(known.wasSeenIn(1, 'live, empty')).toBe(true);
    expect(known.wasSeenIn(1, goneFile)).toBe(false);
    expect(known.wasSeenIn(1, 'gone, empty')).toBe(false);
  });
});
