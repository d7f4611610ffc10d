import { expect, it, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { changeOf } from '../../../src/model/change.ts';
import { formatRecord, parseRecord, recordFileName } from '../../../src/storage/record-file.ts';
import { quotaRecord } from '../../support/records.ts';

test("the name of a record's file is the key of its target", () => {
  const target = {
    account: 'a',
    region: 'ap-x',
    operation: 'o',
    resource: { template_id: 'lt-1' },
  };

  expect(recordFileName(target)).toBe('a@ap-x@o@lt-1.json');
});

const record = quotaRecord('ap-guangzhou');
const text = formatRecord(record);
const notStored = 'not a stored record';

it("the text of a record's file gives the record back, with its trend", () => {
  const trend = {
    stepMs: 900_000,
    times: [1, 2, 3, 4],
    quotas: [{ type: 'postpaid', zone: 'ap-guangzhou-1', use: [2, 3, null, 1] }],
  };
  const trended = { ...record, observed: { ...record.observed, trend } };

  expect(parseRecord(formatRecord(trended), collectors, 'a.json')).toEqual(trended);
});

it("the text of a record's file gives the record back without a trend that no poll can have made", () => {
  const trend = { stepMs: 900_000, times: [2, 1], quotas: [] };
  const trended = { ...record, observed: { ...record.observed, trend } };

  expect(parseRecord(formatRecord(trended), collectors, 'a.json')).toEqual(record);
});

it.each([
  ['that is empty', ' \n', notStored],
  ['that is cut off', text.slice(0, -3), notStored],
  ['of zeros', '\0'.repeat(400), notStored],
  ['without a version', '{}', notStored],
  ['with a version that is no number', '{"version":"1"}', notStored],
  ['without a record', '{"version":1}', notStored],
  ['without a target', '{"version":1,"record":{}}', notStored],
  ['without an operation', '{"version":1,"record":{"target":{}}}', notStored],
  ['of an unknown operation', text.replaceAll('DescribeAccountQuota', 'Other'), notStored],
  ['with a time that is no date', text.replaceAll('1700000000000', '1e16'), notStored],
  ['with a zone without a name', text.replaceAll('"ap-guangzhou-1"', '""'), notStored],
  ['without what it counts', text.replace('"durable"', '"other"'), 'record.durable'],
])("the text of a record's file %s is refused with the reason", (_name, wrong, reason) => {
  expect(() => parseRecord(wrong, collectors, 'a.json')).toThrow(reason);
});

it("the text of a record's file of a newer form is told from a damaged one, whatever else it holds", () => {
  for (const newer of [text.replace('"version":1', '"version":2'), '{"version":2,"new":1}']) {
    expect(() => parseRecord(newer, collectors, 'a.json')).toThrow(
      expect.objectContaining({
        code: 'newer-form',
        message: expect.stringMatching(/ a\.json .*form 2/) as string,
      }),
    );
  }
});

it("the text of a record's file is refused with the first place that is wrong", () => {
  const change = changeOf(record.target, 1, { kind: 'raised', from: -1, to: null });
  const durable = { ...record.durable, recentChanges: [change] };
  const wrong = formatRecord({ ...record, durable }).replace('"from":-1', '"from":[]');

  expect(() => parseRecord(wrong, collectors, 'a.json')).toThrow(
    /^not a stored record: record\.durable\.recentChanges\.0\.from: \S/,
  );
});
