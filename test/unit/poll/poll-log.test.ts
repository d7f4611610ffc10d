import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { changeOf, type Difference } from '../../../src/model/change.ts';
import type { Anomaly, PollOutcome, PollSuccess } from '../../../src/model/poll-outcome.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import { targetKey, type Target } from '../../../src/model/target.ts';
import { PollLog } from '../../../src/poll/poll-log.ts';
import { templateTarget } from '../../support/fake-monitor.ts';
import { recordingLogger } from '../../support/loggers.ts';
import { advance, newRecord, templateSnapshot } from '../../support/records.ts';

const target = (templateId: string, account = 'production'): Target =>
  templateTarget(account, 'ap-guangzhou', templateId);

const failure = (code: string): PollOutcome => ({
  ok: false,
  code,
  message: `it said ${code}`,
  requestId: null,
  durationMs: 1,
});

const success = (...anomalies: Anomaly[]): PollSuccess => ({
  ok: true,
  snapshot: templateSnapshot({ versions: [1], defaultVersion: null }),
  anomalies,
  durationMs: 1,
});

/** An answer that lacks something, and names it as an anomaly too. */
const lacking = (...missing: string[]) =>
  success(...missing.map((detail) => ({ kind: 'invalid-row' as const, detail })));

const { logger, lines } = recordingLogger();

const nowMs = 1_700_000_000_000;
let log: PollLog;
let records: Map<string, TargetRecord>;

beforeEach(() => {
  vi.useFakeTimers();
  lines.length = 0;
  records = new Map();
  log = new PollLog(logger);
});
afterEach(() => {
  vi.useRealTimers();
});

function poll(polled: Target, outcome: PollOutcome): void {
  const before = records.get(targetKey(polled)) ?? newRecord(polled);
  const { record, changes } = advance(before, outcome, nowMs);
  records.set(targetKey(polled), record);
  log.polled({ before, record, changes }, outcome);
}

const messages = () => lines.map(({ message }) => message);

/** Words: `ok`, the code of a failure, or `lacks` and what an answer lacks. */
const outcomeOf = (word: string): PollOutcome => {
  if (word === 'ok') return success();
  return word.startsWith('lacks ') ? lacking(word.slice('lacks '.length)) : failure(word);
};

test.each<[string, outcomes: string[], lines: string[]]>([
  ['none while it succeeds', ['ok', 'ok'], []],
  [
    'one when it begins to fail, and none while it goes on',
    ['Timeout', 'Timeout', 'Timeout'],
    ['target is failing Timeout'],
  ],
  [
    'one for another code',
    ['Timeout', 'InternalError', 'InternalError'],
    ['target is failing Timeout', 'target is failing InternalError'],
  ],
  [
    'one when it recovers',
    ['Timeout', 'ok', 'ok'],
    ['target is failing Timeout', 'target recovered Timeout'],
  ],
  [
    'one when an answer begins to lack something, whatever that is, and one at the end',
    ['ok', 'lacks row 1', 'lacks row 2', 'ok'],
    ['answer is incomplete', 'answer is complete again'],
  ],
  [
    'none for an incomplete answer that a failure interrupts',
    ['lacks row 1', 'Timeout', 'lacks row 1'],
    ['answer is incomplete', 'target is failing Timeout', 'target recovered Timeout'],
  ],
])(
  'a target has one line for each difference that a person acts on: %s',
  (_name, outcomes, expected) => {
    for (const word of outcomes) poll(target('lt-1'), outcomeOf(word));

    const said = lines.map(({ fields, message }) => [message, fields.code].join(' ').trim());
    expect(said).toEqual(expected);
  },
);

test('a target has one line for each difference that a person acts on: one at the end of what the process before stored', () => {
  const one = target('lt-1');
  poll(one, failure('Timeout'));
  log = new PollLog(logger);
  poll(one, success());

  expect(messages()).toEqual(['target is failing', 'target recovered']);
});

test('a target has one line for each difference that a person acts on: what is missing, and where', () => {
  poll(target('lt-1'), lacking('row 1: no version', 'row 2'));

  expect(lines).toEqual([
    {
      level: 'warn',
      message: 'answer is incomplete',
      fields: {
        account: 'production',
        region: 'ap-guangzhou',
        operation: 'DescribeLaunchTemplateVersions',
        template_id: 'lt-1',
        missing: 'row 1: no version; row 2',
      },
    },
  ]);
});

test('a line about a change has the labels of what changed, and none that it lacks', () => {
  const record = newRecord(target('lt-1'));
  const differences: readonly Difference[] = [
    { kind: 'version-created', from: null, to: 2 },
    {
      kind: 'stock-changed',
      zone: 'ap-guangzhou-3',
      from: 'normal',
      to: 'sold-out',
      extraLabels: { instance_type: 'S5.LARGE8' },
    },
    { kind: 'quota-limit-lowered', quotaType: 'image', from: 10, to: 5 },
  ];
  const changes = differences.map((difference) => changeOf(record.target, nowMs, difference));

  log.polled({ before: record, record, changes }, success());

  const place = { account: 'production', region: 'ap-guangzhou' };
  const of = { ...place, operation: 'DescribeLaunchTemplateVersions', template_id: 'lt-1' };
  expect(lines.map(({ fields }) => fields)).toEqual([
    { ...of, kind: 'version-created', from: null, to: 2 },
    {
      ...of,
      instance_type: 'S5.LARGE8',
      kind: 'stock-changed',
      zone: 'ap-guangzhou-3',
      from: 'normal',
      to: 'sold-out',
    },
    { ...of, kind: 'quota-limit-lowered', quota_type: 'image', from: 10, to: 5 },
  ]);
});

test('a mistake of ours is logged with its stack', () => {
  const error = new TypeError('x is not a function');
  log.threw(target('lt-1'), error);

  expect(lines).toMatchObject([
    { level: 'error', message: 'unexpected error in a poll', fields: { err: error } },
  ]);
});

const many = (account: string) =>
  Array.from({ length: 10_000 }, (_, i) => target(`lt-${i}`, account));

test('many targets that fail at once have 20 lines by account and code, and their number in a minute', () => {
  for (const account of ['production', 'staging']) {
    for (const each of many(account)) poll(each, failure('NetworkError'));
  }
  expect(lines).toHaveLength(40);

  vi.advanceTimersByTime(60_000);

  expect(lines.slice(40).map(({ message, fields }) => [message, fields])).toEqual(
    ['production', 'staging'].map((account) => [
      'log lines left out: many targets have the same problem',
      { event: 'target is failing', account, code: 'NetworkError', lines: 9_980 },
    ]),
  );
});

test('many targets that fail at once have their number at the end of the polls, and no timer after it', () => {
  for (const each of many('production').slice(0, 21)) poll(each, failure('NetworkError'));

  log.close();

  expect(lines.at(-1)?.fields).toMatchObject({ event: 'target is failing', lines: 1 });
  expect(vi.getTimerCount()).toBe(0);
});

test('many targets that fail at once have as many when they all turn out to be of another account', () => {
  const answerOf = (appId: number): PollOutcome => ({
    ...success(),
    snapshot: templateSnapshot({ appId, versions: [1], defaultVersion: null }),
  });
  const targets = many('production').slice(0, 100);
  for (const each of targets) poll(each, answerOf(1));
  lines.length = 0;

  for (const each of targets) poll(each, answerOf(2));

  expect(lines).toHaveLength(20);
  expect(lines[0]?.fields).toMatchObject({ old_app_id: 1, new_app_id: 2 });
});

test('many targets that fail at once leave the lines of others alone', () => {
  for (const each of many('production')) poll(each, failure('NetworkError'));
  lines.length = 0;

  poll(target('lt-x'), failure('AuthFailure.SignatureFailure'));
  poll(target('lt-y', 'staging'), failure('NetworkError'));

  expect(messages()).toEqual(['target is failing', 'target is failing']);
});
