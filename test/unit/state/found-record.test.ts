import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { targetKey } from '../../../src/model/target.ts';
import { continueFound } from '../../../src/state/found-record.ts';
import { templateTarget } from '../../helpers/fake-monitor.ts';
import { newRecord } from '../../helpers/advance.ts';
import { polled, withOneChange } from '../../helpers/polled-keeper.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';

const target = templateTarget('a', 'ap-x', 'lt-1');

it.each([
  ['is continued by one without changes', polled(newRecord(target), 3).record, true],
  ['gives way to one that has counted changes', withOneChange(target), false],
])('a record that appears %s, and the log says so', (_, record, continued) => {
  const { logger, lines } = recordingLogger();
  const taken = { before: newRecord(target), record, changes: [] };

  const { changes } = continueFound(withOneChange(target), taken, { collectors, logger });

  expect(changes).toHaveLength(continued ? 1 : 0);
  expect(lines).toMatchObject([
    { level: 'error', fields: { target: targetKey(target), continued } },
  ]);
});
