/** The requests that a fault rule applies to, and what a client then sees. */
import { connect } from 'node:net';
import { request } from 'undici';
import { expect, test } from 'vitest';
import {
  createEmulator,
  createManualClock,
  type FaultRuleInput,
} from '../../../src/emulator/emulator.ts';
import { ask, queryOf, quotaQuery, versionsQuery } from '../../support/ask.ts';
import { emulate } from '../../support/emulator.ts';
import { rowsOf } from '../../support/rows.ts';
import { sampleScenario } from '../../support/sample-scenario.ts';

const internalError = { effect: 'error', code: 'InternalError' } as const;

const launch_templates = ['lt-00000001', 'lt-00000002'].map((id) => ({
  id,
  versions: [1],
  default_version: 1,
}));
const ofTemplate = (LaunchTemplateId: string) => ({ ...versionsQuery, LaunchTemplateId });
const scenario = {
  accounts: [
    {
      name: 'a',
      regions: [{ name: 'ap-guangzhou', launch_templates }, { name: 'ap-shanghai' }],
    },
    { name: 'b', keys: [{ secret_id: 'b-id', secret_key: 'b-key' }] },
  ],
};

test.each<[FaultRuleInput, Record<string, string>, string | null]>([
  [{ ...internalError, operation: 'DescribeAccountQuota' }, quotaQuery, 'InternalError'],
  [{ ...internalError, operation: 'DescribeLaunchTemplates' }, quotaQuery, null],
  [{ ...internalError, region: 'ap-guangzhou' }, quotaQuery, 'InternalError'],
  [{ ...internalError, region: 'ap-shanghai' }, quotaQuery, null],
  [{ ...internalError, account: 'a' }, quotaQuery, 'InternalError'],
  [{ ...internalError, account: 'b' }, quotaQuery, null],
  [{ ...internalError, account: 'b' }, { ...quotaQuery, SecretId: 'b-id' }, 'InternalError'],
  [{ ...internalError, template_id: 'lt-00000001' }, ofTemplate('lt-00000001'), 'InternalError'],
  [{ ...internalError, template_id: 'lt-00000001' }, ofTemplate('lt-00000002'), null],
  [{ ...internalError, template_id: 'lt-00000001' }, quotaQuery, null],
  [internalError, {}, 'InternalError'],
])('A rule %j lets a request with %j be answered with %s', async (rule, parameters, code) => {
  const emulator = await createEmulator({ scenario, clock: createManualClock() });
  emulator.faults.add(rule);

  expect(ask(emulator, parameters).code).toBe(code);
});

test('A rule with a count applies to that many requests, then no more', async () => {
  const emulator = await createEmulator();
  emulator.faults.add({ ...internalError, count: 2 });

  const codes = [1, 2, 3].map(() => ask(emulator, quotaQuery).code);

  expect(codes).toEqual(['InternalError', 'InternalError', null]);
  expect(emulator.faults.list()).toMatchObject([{ count: 2, struck: 2 }]);
});

test('A rule with a probability applies when the random number is less', async () => {
  const draws = [0.29, 0.3, 0.9, 0];
  const emulator = await createEmulator({ random: () => draws.shift() ?? 1 });
  emulator.faults.add({ ...internalError, probability: 0.3 });

  const codes = [1, 2, 3, 4].map(() => ask(emulator, quotaQuery).code);

  expect(codes).toEqual(['InternalError', null, null, 'InternalError']);
});

test('A rule applies from one time of the scenario until another', async () => {
  const clock = createManualClock();
  const emulator = await createEmulator({ clock });
  emulator.faults.add({ ...internalError, from: '10s', until: '20s' });
  const codes = [9_999, 1, 9_999, 1].map((ms) => {
    clock.advance(ms);
    return ask(emulator, quotaQuery).code;
  });

  expect(codes).toEqual([null, 'InternalError', 'InternalError', null]);
});

test('The first of several rules decides, and their latencies add up to there', async () => {
  const emulator = await createEmulator();
  emulator.faults.add({ effect: 'latency', latency: '10ms' });
  emulator.faults.add({ effect: 'error', code: 'First', latency: '25ms' });
  emulator.faults.add({ effect: 'error', code: 'Second', latency: '1000ms' });

  const reply = emulator.handle({ method: 'GET', target: '/', headers: {} });

  expect(reply.body).toContain('"First"');
  expect(reply.latencyMs).toBe(35);
  expect(emulator.requests.list()).toMatchObject([
    { code: 'First', fault: 'error', latency_ms: 35 },
  ]);
});

interface Seen {
  readonly statusCode?: number;
  readonly headers?: object;
  /** A pattern. */
  readonly text: string;
}

/** What a client sees. */
const effects = rowsOf<[FaultRuleInput, Seen | 'no answer']>('emulator', 'effects-of-faults');

test.each(effects)('A line of a scenario provokes %j', async (rule, expected) => {
  const emulator = await emulate({ scenario: { ...sampleScenario, faults: [rule] } });
  const seen = request(`${emulator.url}/?${queryOf(quotaQuery)}`).then(
    async ({ body, ...head }) => ({
      ...head,
      text: await body.text(),
    }),
  );
  if (rule.effect === 'hang') {
    seen.catch(() => undefined);
    await expect.poll(() => emulator.requests.total).toBe(1);
    await emulator.close();
  }

  if (expected === 'no answer') await expect(seen).rejects.toThrow();
  else {
    const text = expect.stringMatching(expected.text) as unknown;
    expect(await seen).toMatchObject({ ...expected, text });
  }
  expect(emulator.faults.list()).toMatchObject([{ effect: rule.effect, struck: 1 }]);
});

test.each([
  { effect: 'latency', latency: '100ms' },
  { effect: 'slow-body', duration: '100ms' },
] as const)('An answer with the fault %j is held back', async (rule) => {
  const emulator = await emulate({ scenario: { ...sampleScenario, faults: [rule] } });
  const startMs = performance.now();

  await fetch(emulator.url).then((answer) => answer.text());

  expect(performance.now() - startMs).toBeGreaterThan(70);
});

test('A client that has gone away in the middle of a slow body disturbs no other', async () => {
  const emulator = await emulate();
  emulator.faults.add({ effect: 'slow-body', count: 1 });
  const socket = connect(Number(new URL(emulator.url).port), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();

  expect((await fetch(emulator.url)).status).toBe(200);
});
