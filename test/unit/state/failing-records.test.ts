import { expect, it } from 'vitest';
import { DamagedFiles } from '../../../src/state/damaged-files.ts';
import { FailingRecords } from '../../../src/state/failing-records.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';

it('logs the first failing record and the last that is stored again, with the reason', () => {
  const { logger, lines } = recordingLogger();
  const failing = new FailingRecords(logger);

  failing.stored('a');
  failing.failed('a', new Error('disk full'));
  failing.failed('b', new Error('read-only'));
  expect([failing.size, failing.problem, failing.has('a')]).toEqual([2, 'read-only', true]);
  failing.stored('a');
  expect([failing.size, failing.problem, failing.has('a')]).toEqual([1, 'read-only', false]);
  failing.stored('b');
  failing.stored('b');

  expect([failing.size, failing.problem]).toEqual([0, null]);
  expect(lines.map(({ level, fields }) => [level, fields])).toEqual([
    ['error', { reason: 'disk full' }],
    ['info', {}],
  ]);
});

it('has the record that failed last as its last', () => {
  const failing = new FailingRecords(recordingLogger().logger);

  for (const key of ['a', 'b', 'a']) failing.failed(key, new Error('disk full'));

  expect(failing.all()).toEqual(['b', 'a']);
});

it('counts a damaged file again only after it was moved aside', () => {
  const { logger, lines } = recordingLogger();
  const damaged = new DamagedFiles(logger);
  const counts: number[] = [];
  const find = (movedTo: string | null) => {
    damaged.found({ file: 'a.json', movedTo, reason: 'empty' });
    counts.push(damaged.count);
  };

  find(null);
  find(null);
  find('a.json.damaged-1');
  find('a.json.damaged-2');

  expect(counts).toEqual([1, 1, 1, 2]);
  expect(lines.at(-1)).toMatchObject({
    level: 'error',
    fields: { file: 'a.json', moved_to: 'a.json.damaged-2', reason: 'empty' },
  });
});
