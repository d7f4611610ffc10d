import { collectors } from '../../../src/collectors/collectors.ts';
import { describe, expect, it } from 'vitest';
import { changeOf } from '../../../src/model/change.ts';
import { formatRecord, parseRecord, recordFileName } from '../../../src/state/record-file.ts';
import { quotaRecord } from '../../helpers/records.ts';

describe("the name of a record's file", () => {
  const nameOf = (region: string) => recordFileName({ account: 'a', region, operation: 'o' });

  it('is the key of its target', () => {
    expect(nameOf('ap-guangzhou')).toBe('a@ap-guangzhou@o.json');
  });

  it('is a plain name for any key, with four hexadecimal digits for another character', () => {
    expect(nameOf('../ü广')).toBe('a@..%002f%00fc%5e7f@o.json');
  });

  it('differs for two keys whose other characters have codes of different lengths', () => {
    expect(nameOf('é1')).not.toBe(nameOf('\u0e91'));
  });

  it('has at most 200 characters before its suffix, and then ends with a hash of the key', () => {
    const longest = 'r'.repeat(200 - 'a@@o'.length);

    expect(nameOf(longest)).toBe(`a@${longest}@o.json`);
    expect(nameOf(`${longest}r`)).toMatch(/^a@r{133}~[0-9a-f]{64}\.json$/);
    expect(nameOf(`${longest}r`)).toHaveLength(200 + '.json'.length);
    expect(nameOf(`${longest}r`)).not.toBe(nameOf(`${longest}s`));
  });
});

describe("the text of a record's file", () => {
  const text = formatRecord(quotaRecord('ap-guangzhou'));
  const fileOf = (record: object) => JSON.stringify({ version: 1, record });

  it.each([
    ['a time that is no date', '"lastSuccessAtMs":1700000000000', '"lastSuccessAtMs":1e16'],
    ['a zone without a name', '"zone":"ap-guangzhou-1"', '"zone":""'],
    ['a target of an unknown operation', '"DescribeAccountQuota"', '"DescribeElse"'],
  ])('is no record with %s, which no page could show', (_what, before, after) => {
    expect(text).toContain(before);

    expect(() => parseRecord(text.replaceAll(before, after), collectors)).toThrow(
      'not a stored record',
    );
  });

  it.each([
    ['no target', fileOf({})],
    ['a target without an operation', fileOf({ target: {} })],
    ['no version', '{}'],
    ['a version that is no number', '{"version":"1"}'],
  ])('is no record with %s', (_what, other) => {
    expect(() => parseRecord(other, collectors)).toThrow('not a stored record');
  });

  it('is refused with the first place that is wrong', () => {
    const record = quotaRecord('ap-guangzhou');
    const change = changeOf(record.target, 1, { kind: 'raised', from: -1, to: null });
    const wrong = formatRecord({ ...record, recentChanges: [change] }).replace(
      '"from":-1',
      '"from":[]',
    );

    expect(() => parseRecord(wrong, collectors)).toThrow(
      /^not a stored record: record\.recentChanges\.0\.from: \S/,
    );
  });

  it('is no record with a change of another operation', () => {
    const record = quotaRecord('ap-guangzhou');
    const other = { ...record.target, operation: 'DescribeRegions' };
    const change = changeOf(other, 1, { kind: 'zone-appeared', from: null, to: 'ap-guangzhou-2' });

    expect(() =>
      parseRecord(formatRecord({ ...record, recentChanges: [change] }), collectors),
    ).toThrow('a change is of another operation');
  });

  it('is refused with a reason when it is empty, cut off, or of a newer version', () => {
    expect(() => parseRecord(' \n', collectors)).toThrow(/^empty$/);
    expect(() => parseRecord(text.slice(0, -3), collectors)).toThrow('not JSON');
    expect(() => parseRecord('{"version":2}', collectors)).toThrow('newer version');
  });

  const trend = {
    stepMs: 900_000,
    lastStep: 7,
    quotas: [{ type: 'postpaid', zone: 'ap-guangzhou-1', use: '+2=3?1-1' }],
  };

  it('gives the trend back as it was', () => {
    const record = { ...quotaRecord('ap-guangzhou'), trend };

    expect(parseRecord(formatRecord(record), collectors)).toEqual(record);
  });

  it.each([
    ['a use in another form', '"use":"+2=3?1-1"', '"use":"2,2,2"'],
    ['steps without a length', '"stepMs":900000', '"stepMs":0'],
  ])('is a record without trend, but with its counters, with %s', (_what, before, after) => {
    const record = quotaRecord('ap-guangzhou');
    const text = formatRecord({ ...record, trend });
    expect(text).toContain(before);

    expect(parseRecord(text.replace(before, after), collectors)).toEqual(record);
  });
});
