/** The worst answers cost a daemon in its shipped settings little memory, and no other target. */
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { imageFlags } from '../bench/image-flags.ts';
import { type Daemon, startDaemon } from '../support/program.ts';
import { startStubService } from '../support/stub-service.ts';

const mebibyte = 1024 * 1024;
const row = { UsedQuota: 1, RemainingQuota: 9, TotalQuota: 10, Zone: 'ap-guangzhou-3' };

/** An answer whose set of quotas is this text. */
const answerWith = (rows: string) =>
  `{"Response":{"AppId":1,"AccountQuotaOverview":{"AccountQuota":{"PostPaidQuotaSet":[${rows}]}},"RequestId":"7f117776-3d20-4f00-839b-b22b04625f47"}}`;

/** An answer whose set of quotas is this text, repeated up to a length. */
const setOf = (unit: string, bytes: number) =>
  answerWith(unit.repeat(Math.floor(bytes / Buffer.byteLength(unit))).replace(/,$/, ''));

/** The most memory that a daemon has had. */
async function peakBytesOf({ pid }: Daemon): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

test('answers of any form cost no more than 64 MiB above normal ones', async () => {
  const names = Array.from({ length: 45_000 }, (_, index) => `"name${index}":0`);
  // Just below the bounds, where the answer is read; and far above, where it is refused.
  const hostile = [
    setOf('{},', 145_000),
    setOf('{},', 16 * mebibyte),
    setOf('[],', 145_000),
    setOf('1,', 95_000),
    setOf('1.5e300,', 390_000),
    setOf('{"a":{"b":[{}]}},', 240_000),
    setOf(`${JSON.stringify(row)},`, 1_000_000),
    setOf(`"${'\\u20ac'.repeat(600)}",`, 1_000_000),
    setOf(`"${'€'.repeat(1300)}",`, 1_000_000),
    setOf(`"${'x'.repeat(4000)}",`, 16 * mebibyte),
    setOf(`"${'x'.repeat(7 * mebibyte)}"`, 7 * mebibyte + 2),
    setOf(' ', 16 * mebibyte),
    setOf('1', 1_000_000),
    '['.repeat(16 * mebibyte),
    '{"a":'.repeat(1_000_000),
    `{"Response":{${names.join()}}}`,
    `{"Response":{"Error":{"Code":"${'A'.repeat(4000)}","Message":"${'\\u0000'.repeat(600)}"}}}`,
    `<html>${'x'.repeat(1_000_000)}`,
  ];

  // A daemon of many accounts for a list, whose answers they get one after the other.
  const measure = async (answers: readonly string[]) => {
    const bodies = answers.map((body) => Buffer.from(body));
    const service = await startStubService(({ index }, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(bodies[index % bodies.length]);
    });
    const accounts = 6;
    const daemon = await startDaemon({
      config: {
        poll: { schedule: '*/2 * * * * *' },
        api: { endpoint: service.url, max_attempts: 1 },
        accounts: Array.from({ length: accounts }, (_, index) => ({
          name: `account-${index}`,
          credentials: { type: 'none' },
          regions: ['ap-guangzhou', 'ap-shanghai', 'ap-beijing'],
        })),
      },
      nodeFlags: imageFlags(),
    });
    await expect
      .poll(() => service.requests.length, { timeout: 90_000, interval: 200 })
      .toBeGreaterThan(accounts * 3 * 6);
    const figures = {
      peakBytes: await peakBytesOf(daemon),
      metrics: await daemon.text('/metrics'),
    };
    await daemon.stop();
    return figures;
  };
  // One after the other: on a busy machine, two daemons at once collect their garbage later.
  const usual = await measure([answerWith(JSON.stringify(row))]);
  const worst = await measure(hostile);

  expect(usual.metrics).toContain('cvm_quota_used{');
  expect(worst.metrics).toContain('cvm_monitor_poll_failures_total{');
  expect(worst.peakBytes - usual.peakBytes).toBeLessThan(64 * mebibyte);
});

test('ten answers of 3 MiB at once, with one byte in each chunk, cost no more than 64 MiB', async () => {
  const body = Buffer.from(answerWith(' '.repeat(3 * mebibyte - 500)));
  const chunks = Buffer.alloc(6 * body.length, '1\r\n \r\n');
  for (const [i, byte] of body.entries()) chunks[6 * i + 3] = byte;
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';
  const whole = Buffer.concat([Buffer.from(head), chunks, Buffer.from('0\r\n\r\n')]);
  const count = 10;

  const measure = async (isInBytes: boolean) => {
    const waiting: ServerResponse[] = [];
    const service = await startStubService((_request, response) => {
      if (!isInBytes) {
        response.end(answerWith(JSON.stringify(row)));
        return;
      }
      waiting.push(response);
      if (waiting.length === count) for (const { socket } of waiting) socket?.end(whole);
    });
    const daemon = await startDaemon({
      config: {
        poll: { schedule: '0 0 1 1 *' },
        api: { endpoint: service.url, max_attempts: 1, timeout: '5m' },
        accounts: Array.from({ length: count }, (_, index) => ({
          name: `account-${index}`,
          credentials: { type: 'none' },
          regions: ['ap-guangzhou'],
        })),
      },
      nodeFlags: imageFlags(),
    });
    const polled = 'cvm_monitor_polls_total';
    const samples = await daemon.metricsWhen((each) => each.sum(polled) === count);
    expect(samples.sum('cvm_monitor_target_up')).toBe(count);
    const peakBytes = await peakBytesOf(daemon);
    await daemon.stop();
    return peakBytes;
  };
  // One after the other, as above.
  const usualBytes = await measure(false);
  const hostileBytes = await measure(true);

  expect(hostileBytes - usualBytes).toBeLessThan(64 * mebibyte);
});
