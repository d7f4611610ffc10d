import { collectors } from '../../../src/collectors/collectors.ts';
import { describe, expect, it } from 'vitest';
import { formatRecord, parseRecord } from '../../../src/state/record-file.ts';
import { quotaRecord } from '../../helpers/records.ts';

describe("the text of a record's file", () => {
  it.each([
    ['a time that is no date', '"lastSuccessAtMs":1700000000000', '"lastSuccessAtMs":1e16'],
    ['a zone without a name', '"zone":"ap-guangzhou-1"', '"zone":""'],
  ])('is no record with %s, which no page could show', (_what, before, after) => {
    const text = formatRecord(quotaRecord('ap-guangzhou'));
    expect(text).toContain(before);

    expect(() => parseRecord(text.replaceAll(before, after), collectors)).toThrow(
      'not a stored record',
    );
  });
});
