import { beforeEach, describe, expect, test } from 'vitest';
import { advance } from '../../helpers/advance.ts';
import type { Anomaly, PollOutcome, PollSuccess } from '../../../src/model/poll-outcome.ts';
import { newRecord } from '../../helpers/advance.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import type { Target } from '../../../src/model/target.ts';
import { templateTarget } from '../../helpers/fake-monitor.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { templateSnapshot } from '../../helpers/snapshots.ts';
import { PollLog } from '../../../src/poll/poll-log.ts';

const minuteMs = 60_000;

const target = (templateId: string, account = 'production'): Target =>
  templateTarget(account, 'ap-guangzhou', templateId);

const failure = (code: string): PollOutcome => ({
  ok: false,
  code,
  message: `it said ${code}`,
  requestId: null,
  durationMs: 1,
});

const success = (...anomalies: Anomaly[]): PollOutcome => ({
  ok: true,
  snapshot: templateSnapshot({ versions: [1], defaultVersion: null }),
  anomalies,
  durationMs: 1,
});

/** An answer that lacks something, and names it as an anomaly too. */
const lacking = (...missing: string[]): PollSuccess => ({
  ok: true,
  snapshot: templateSnapshot({ versions: [1], defaultVersion: null, missing }),
  anomalies: missing.map((detail) => ({ kind: 'invalid-row', detail })),
  durationMs: 1,
});

const { logger, lines } = recordingLogger();

let nowMs: number;
let log: PollLog;
let records: Map<Target, TargetRecord>;

beforeEach(() => {
  nowMs = 1_700_000_000_000;
  lines.length = 0;
  records = new Map();
  startLog();
});

function startLog(): void {
  log = new PollLog(logger, { now: () => nowMs });
}

function poll(polled: Target, outcome: PollOutcome): void {
  const before = records.get(polled) ?? newRecord(polled);
  const { record, changes } = advance(before, outcome, nowMs);
  records.set(polled, record);
  log.polled({ before, record, changes }, outcome);
}

const messages = () => lines.map(({ message }) => message);

describe('in two minutes of a cycle a second, the log has', () => {
  test('one line of a schedule that is too short', () => {
    for (let second = 0; second < 120; second += 1) {
      nowMs += 1_000;
      if (second % 2 === 0) log.cycleSkipped();
      else poll(target('lt-1'), success());
    }

    expect(messages()).toEqual([
      'cycle is late: the previous one has not ended; only targets that it finished are polled',
    ]);
  });

  test('two lines of two codes that alternate', () => {
    const one = target('lt-1');
    for (let second = 0; second < 120; second += 1) {
      nowMs += 1_000;
      poll(one, failure(second % 2 === 0 ? 'Timeout' : 'InternalError'));
    }

    expect(lines.map(({ message, fields }) => [message, fields.code])).toEqual([
      ['target is failing', 'Timeout'],
      ['target is failing', 'InternalError'],
    ]);
  });

  test('three lines of a target that fails and recovers by turns', () => {
    const one = target('lt-1');
    for (let second = 0; second < 120; second += 1) {
      nowMs += 1_000;
      poll(one, second % 2 === 0 ? failure('Timeout') : success());
    }

    expect(messages()).toEqual([
      'target is failing',
      'target recovered',
      'target is failing again, perhaps intermittently',
    ]);
  });

  test('three lines of anomalies that are worded in another way each time', () => {
    const one = target('lt-1');
    for (let second = 0; second < 120; second += 1) {
      nowMs += 1_000;
      poll(one, success({ kind: 'invalid-row', detail: `row ${second}` }));
    }

    expect(messages()).toEqual(Array(3).fill('answer has anomalies'));
  });

  test('one line of a process that is suspended time and again', () => {
    for (let second = 0; second < 120; second += 1) {
      nowMs += 1_000;
      log.cyclesMissed(2);
    }

    expect(messages()).toEqual([
      'cycles missed: the process was suspended, the clock was set forward, or no daemon of the cluster could run them',
    ]);
  });

  test('one line of a mistake of ours', () => {
    for (let second = 0; second < 120; second += 1) {
      nowMs += 1_000;
      log.pollThrew(target('lt-1'), new TypeError('x is not a function'));
    }

    expect(messages()).toEqual(['unexpected error in a poll']);
  });
});

describe('an incomplete answer', () => {
  test('has a line when it begins, which names what is missing, and one when it is complete again', () => {
    const one = target('lt-1');
    const outcomes = [
      success(),
      lacking('row 1: no version', 'row 2'),
      lacking('row 1: no version', 'row 2'),
      success(),
      success(),
    ];
    for (const outcome of outcomes) {
      nowMs += 1_000;
      poll(one, outcome);
    }

    expect(lines).toEqual([
      {
        level: 'warn',
        message: 'answer is incomplete',
        fields: expect.objectContaining({
          template_id: 'lt-1',
          missing: 'row 1: no version; row 2',
          polls: 1,
        }),
      },
      {
        level: 'info',
        message: 'answer is complete again',
        fields: expect.objectContaining({ missing: 'row 1: no version; row 2', polls: 2 }),
      },
    ]);
  });

  test('lacks something without any anomaly, such as a configured zone, and is logged all the same', () => {
    poll(target('lt-1'), {
      ...lacking('zone z: no row in the answer'),
      anomalies: [],
    });

    expect(lines.map(({ message, fields }) => [message, fields.missing])).toEqual([
      ['answer is incomplete', 'zone z: no row in the answer'],
    ]);
  });

  test('neither begins nor ends with a failed poll', () => {
    const one = target('lt-1');
    for (const outcome of [lacking('x'), failure('Timeout'), lacking('x'), success()]) {
      nowMs += 1_000;
      poll(one, outcome);
    }

    expect(messages()).toEqual([
      'answer is incomplete',
      'target is failing',
      'target recovered',
      'answer is complete again',
    ]);
  });

  test('that the process before stored ends with a line, too', () => {
    const one = target('lt-1');
    poll(one, lacking('x'));
    startLog();
    poll(one, success());

    expect(messages()).toEqual(['answer is incomplete', 'answer is complete again']);
  });

  test('of a target that is gone is forgotten', () => {
    const [one, other] = [target('lt-1'), target('lt-2')];
    for (const each of [one, other]) poll(each, lacking('x'));
    lines.length = 0;

    log.keepOnly([one]);
    for (const each of [one, other]) poll(each, lacking('x'));

    expect(lines.map(({ fields }) => fields.template_id)).toEqual(['lt-2']);
  });
});

describe('once an hour', () => {
  test('the count of what goes on is logged, and at its end', () => {
    const one = target('lt-1');
    for (let minute = 0; minute < 150; minute += 5) {
      log.cycleSkipped();
      poll(one, failure('Timeout'));
      nowMs += 5 * minuteMs;
    }
    poll(one, success());
    nowMs += 30 * minuteMs;
    poll(one, success());

    expect(lines.map(({ message, fields }) => [message, fields.polls ?? fields.runs])).toEqual([
      [
        'cycle is late: the previous one has not ended; only targets that it finished are polled',
        1,
      ],
      ['target is failing', 1],
      [
        'cycle is late: the previous one has not ended; only targets that it finished are polled',
        13,
      ],
      ['target is still failing, perhaps intermittently', 13],
      [
        'cycle is late: the previous one has not ended; only targets that it finished are polled',
        25,
      ],
      ['target is still failing, perhaps intermittently', 25],
      ['target recovered', 30],
      ['cycles run on schedule again', 30],
    ]);
  });
});

describe('many targets that fail at once', () => {
  const many = (account: string) =>
    Array.from({ length: 10_000 }, (_, i) => target(`lt-${i}`, account));

  test('have 20 lines by account and code, and their number', () => {
    const [production, staging] = [many('production'), many('staging')];
    for (const each of [...production, ...staging]) poll(each, failure('NetworkError'));
    expect(lines).toHaveLength(42);

    nowMs += 2 * minuteMs;
    for (const each of [...production, ...staging]) poll(each, failure('NetworkError'));

    expect(lines.slice(42).map(({ message, fields }) => [message, fields])).toEqual(
      ['production', 'staging'].map((account) => [
        'log lines left out: many targets have the same problem',
        { event: 'target is failing', account, code: 'NetworkError', lines: 9_980 },
      ]),
    );
  });

  test('have as many when they all turn out to be of another account', () => {
    const answerOf = (appId: number): PollOutcome => ({
      ok: true,
      snapshot: templateSnapshot({ appId, versions: [1], defaultVersion: null }),
      anomalies: [],
      durationMs: 1,
    });
    const targets = many('production').slice(0, 100);
    for (const each of targets) poll(each, answerOf(1));
    lines.length = 0;

    for (const each of targets) poll(each, answerOf(2));

    expect(lines).toHaveLength(21);
    expect(lines[0]?.fields).toMatchObject({ old_app_id: 1, new_app_id: 2 });
  });

  test('leave the lines of others alone', () => {
    for (const each of many('production')) poll(each, failure('NetworkError'));
    lines.length = 0;

    poll(target('lt-x'), failure('AuthFailure.SignatureFailure'));
    poll(target('lt-y', 'staging'), failure('NetworkError'));

    expect(messages()).toEqual(['target is failing', 'target is failing']);
  });

  test('are forgotten when they are gone', () => {
    const [one, other] = [target('lt-1'), target('lt-2')];
    poll(one, failure('Timeout'));
    poll(other, failure('Timeout'));
    lines.length = 0;

    log.keepOnly([one]);
    poll(one, failure('Timeout'));
    poll(other, failure('Timeout'));

    expect(lines.map(({ fields }) => fields.template_id)).toEqual(['lt-2']);
  });
});
