/** Each kind of fault, by one line of a scenario. */
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { startEmulator, type FaultRuleInput } from '../../../src/emulator/emulator.ts';
import { sampleScenario } from '../../support/sample-scenario.ts';

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly encoding: unknown;
}

/** What a client sees. A text is the reason why it gets no answer. */
const faults: readonly (readonly [FaultRuleInput, Partial<Seen> | 'no answer'])[] = [
  [{ effect: 'latency', latency: '1ms' }, { text: expect.stringContaining('"AppId":251007416') }],
  [
    { effect: 'error', code: 'Odd' },
    { status: 200, text: expect.stringContaining('"Code":"Odd"') },
  ],
  [
    { effect: 'http-status', status: 502 },
    { status: 502, text: expect.stringMatching(/^<html>/) },
  ],
  [{ effect: 'connection-reset' }, 'no answer'],
  [{ effect: 'hang' }, 'no answer'],
  [{ effect: 'truncated-body' }, 'no answer'],
  [{ effect: 'slow-body', duration: '20ms' }, { text: expect.stringMatching(/AppId.*}}$/) }],
  [{ effect: 'garbage' }, { status: 200, text: expect.stringContaining('<<not json>>') }],
  [{ effect: 'wrong-types' }, { text: expect.stringContaining('"AppId":"251007416"') }],
  [{ effect: 'gzip-bomb', size_bytes: 50_000 }, { encoding: 'gzip' }],
  [{ effect: 'huge-body', size_bytes: 50_000 }, { text: expect.stringMatching(/^.{50000,}$/) }],
];

test.each(faults)('A line of a scenario provokes %j', async (rule, expected) => {
  const emulator = await startEmulator({ scenario: { ...sampleScenario, faults: [rule] } });
  onTestFinished(emulator.close);
  const query = {
    Action: 'DescribeAccountQuota',
    Version: '2017-03-12',
    Region: 'ap-guangzhou',
  };
  const seen = request(`${emulator.url}/`, { query }).then(
    async ({ statusCode, headers, body }) => ({
      status: statusCode,
      encoding: headers['content-encoding'],
      text: await body.text(),
    }),
  );
  if (rule.effect === 'hang') {
    seen.catch(() => undefined);
    await expect.poll(() => emulator.requests.total).toBe(1);
    await emulator.close();
  }

  if (expected === 'no answer') await expect(seen).rejects.toThrow();
  else expect(await seen).toMatchObject(expected);
  expect(emulator.faults.list()).toMatchObject([{ effect: rule.effect, struck: 1 }]);
});
