import { connect } from 'node:net';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, test, onTestFinished } from 'vitest';
import {
  createEmulator,
  createManualClock,
  startEmulator,
  type FaultRuleInput,
  type RunningEmulator,
} from '../../../../src/emulator/emulator.ts';
import { ask, queryOf, quotaQuery, versionsQuery } from '../../../support/ask.ts';

const internalError = { effect: 'error', code: 'InternalError' } as const;

describe('which requests a rule strikes', () => {
  const scenario = {
    accounts: [
      { name: 'a', regions: [{ name: 'ap-guangzhou' }, { name: 'ap-shanghai' }] },
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
    [internalError, {}, 'InternalError'],
  ])('%j', async (rule, parameters, code) => {
    const emulator = await createEmulator({ scenario, clock: createManualClock() });
    emulator.faults.add(rule);

    expect(ask(emulator, parameters).code).toBe(code);
  });

  test('the first so many', async () => {
    const emulator = await createEmulator();
    emulator.faults.add({ ...internalError, count: 2 });

    const codes = [1, 2, 3].map(() => ask(emulator, quotaQuery).code);

    expect(codes).toEqual(['InternalError', 'InternalError', null]);
    expect(emulator.faults.list()).toMatchObject([{ count: 2, struck: 2 }]);
  });

  test('with a probability', async () => {
    const draws = [0.29, 0.3, 0.9, 0];
    const emulator = await createEmulator({ random: () => draws.shift() ?? 1 });
    emulator.faults.add({ ...internalError, probability: 0.3 });

    const codes = [1, 2, 3, 4].map(() => ask(emulator, quotaQuery).code);

    expect(codes).toEqual(['InternalError', null, null, 'InternalError']);
  });

  test('between two times of the scenario', async () => {
    const clock = createManualClock();
    const emulator = await createEmulator({ clock });
    emulator.faults.add({ ...internalError, from: '10s', until: '20s' });
    const codes = [9_999, 1, 9_999, 1].map((ms) => {
      clock.advance(ms);
      return ask(emulator, quotaQuery).code;
    });

    expect(codes).toEqual([null, 'InternalError', 'InternalError', null]);
  });

  test('the first of several rules decides, and their latencies add up to there', async () => {
    const emulator = await createEmulator({ random: () => 0.5 });
    emulator.faults.add({ effect: 'latency', latency: '10ms' });
    emulator.faults.add({ effect: 'error', code: 'First', latency: { min: '0ms', max: '50ms' } });
    emulator.faults.add({ effect: 'error', code: 'Second', latency: '1000ms' });

    const reply = emulator.handle({ method: 'GET', target: '/', headers: {} });

    expect(reply.body).toContain('"First"');
    expect(reply.latencyMs).toBe(35);
    expect(emulator.requests.list()).toMatchObject([
      { code: 'First', fault: 'error', latency_ms: 35 },
    ]);
  });

  test('none after it is removed by its ID', async () => {
    const emulator = await createEmulator();
    const id = emulator.faults.add(internalError);

    expect(emulator.faults.remove(id)).toBe(true);
    expect(emulator.faults.remove(id)).toBe(false);

    expect(ask(emulator, quotaQuery).code).toBeNull();
  });

  test('a rule of the same ID replaces the one before', async () => {
    const emulator = await createEmulator();
    emulator.faults.add({ ...internalError, id: 'x' });
    emulator.faults.add({ effect: 'error', code: 'Other', id: 'x' });

    expect(ask(emulator, quotaQuery).code).toBe('Other');
    expect(emulator.faults.list()).toHaveLength(1);
  });

  test('a bad rule is refused with the reason', async () => {
    const emulator = await createEmulator();
    const rule = { effect: 'error', code: 'InternalError', probability: 2 } as const;

    expect(() => emulator.faults.add(rule)).toThrow('fault: probability: must be at most 1');
  });
});

describe('what a client gets to see', () => {
  let emulator: RunningEmulator;

  beforeEach(async () => {
    emulator = await startEmulator();
  });

  afterEach(() => emulator.close());

  async function get(parameters: Readonly<Record<string, string>> = quotaQuery) {
    const { statusCode, headers, body } = await request(`${emulator.url}/?${queryOf(parameters)}`);
    return { statusCode, headers, bytes: Buffer.from(await body.arrayBuffer()) };
  }

  test('a status with headers and a content type of its own', async () => {
    const emulator = await startEmulator();
    onTestFinished(emulator.close);
    emulator.faults.add({
      effect: 'http-status',
      status: 503,
      content_type: 'text/plain',
      headers: { 'Retry-After': '30' },
      body: 'busy',
    });

    const answer = await fetch(emulator.url);

    expect([answer.status, await answer.text()]).toEqual([503, 'busy']);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/plain',
      'retry-after': '30',
    });
  });

  test('a connection that is reset', async () => {
    emulator.faults.add({ effect: 'connection-reset' });

    await expect(get()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('no answer at all, until the emulator closes', async () => {
    emulator.faults.add({ effect: 'hang' });
    const answer = get();
    answer.catch(() => undefined);
    await expect.poll(() => emulator.requests.total).toBe(1);

    await emulator.close();

    await expect(answer).rejects.toThrow();
  });

  test('a body that ends too early', async () => {
    emulator.faults.add({ effect: 'truncated-body' });

    await expect(get()).rejects.toThrow();
  });

  test('a body that comes slowly', async () => {
    emulator.faults.add({ effect: 'slow-body', duration: '200ms' });
    const startMs = performance.now();

    const { bytes } = await get();

    expect(JSON.parse(bytes.toString())).toHaveProperty('Response.AppId');
    expect(performance.now() - startMs).toBeGreaterThan(150);
  });

  test('an answer that is held back', async () => {
    emulator.faults.add({ effect: 'latency', latency: '100ms' });
    const startMs = performance.now();

    await get();

    expect(performance.now() - startMs).toBeGreaterThan(95);
  });

  test('garbage', async () => {
    emulator.faults.add({ effect: 'garbage' });

    const { statusCode, bytes } = await get();

    expect(statusCode).toBe(200);
    expect(() => JSON.parse(bytes.toString()) as unknown).toThrow(SyntaxError);
  });

  test('every value of another type', async () => {
    emulator.faults.add({ effect: 'wrong-types' });

    const quota = JSON.parse((await get()).bytes.toString()).Response;
    const versions = JSON.parse((await get(versionsQuery)).bytes.toString()).Response;

    expect(quota.AppId).toBe('251007416');
    expect(quota.AccountQuotaOverview.AccountQuota.PostPaidQuotaSet[1]).toEqual({
      UsedQuota: '2',
      RemainingQuota: '1248',
      TotalQuota: '1250',
      Zone: 14,
    });
    expect(versions.LaunchTemplateVersionSet[0]).toMatchObject({
      LaunchTemplateVersion: '1',
      IsDefaultVersion: 'true',
    });
    expect(quota.RequestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a small body that unpacks to a large one', async () => {
    emulator.faults.add({ effect: 'gzip-bomb', size_bytes: 50_000_000 });

    const { headers, bytes } = await get();

    expect(headers['content-encoding']).toBe('gzip');
    expect(bytes.length).toBeLessThan(100_000);
  });

  test('nothing amiss for others after a client has gone away', async () => {
    emulator.faults.add({ effect: 'huge-body', count: 1 });
    const socket = connect(Number(new URL(emulator.url).port), '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();

    expect((await get()).statusCode).toBe(200);
  });
});
