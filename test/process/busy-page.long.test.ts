import { expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../src/emulator/emulator.ts';
import { startDaemon } from '../support/program.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const regions = numbers(20).map((i) => `ap-region${String.fromCodePoint(97 + i)}`);

test('A scrape of 300 targets is answered before most of the pages that 100 clients load again and again', async () => {
  const quota = { used: 3, limit: 100 };
  const emulator = await startEmulator({
    scenario: {
      requests_per_second: 1_000,
      accounts: [
        {
          name: 'all',
          regions: regions.map((name) => ({
            name,
            zones: [1, 2].map((n) => ({ name: `${name}-${n}`, postpaid: quota, spotpaid: quota })),
          })),
        },
      ],
    },
  });
  onTestFinished(emulator.close);
  const accounts = numbers(15).map((i) => ({
    name: `account-${i}`,
    credentials: { type: 'none' },
    regions,
  }));
  const daemon = await startDaemon({ config: { api: { endpoint: emulator.url }, accounts } });
  let isOver = false;
  let pages = 0;
  // No two clients share an address.
  const clients = numbers(100).map(async (i) => {
    const path = `/?account=account-${i % 15}&region=${regions[i % 20]}&region=${regions[i % 7]}`;
    while (!isOver) {
      expect(await daemon.text(path)).toContain(`account-${i % 15}`);
      pages += 1;
    }
  });
  const ended = Promise.allSettled(clients);
  await expect.poll(() => pages, { timeout: 60_000 }).toBeGreaterThan(10);

  const during: number[] = [];
  for (let scrape = 0; scrape < 5; scrape += 1) {
    const before = pages;
    const samples = await daemon.metrics();
    during.push(pages - before);
    expect(samples.sum('cvm_monitor_target_up')).toBe(300);
    await expect.poll(() => pages, { timeout: 60_000 }).toBeGreaterThan(before + 100);
  }
  isOver = true;
  await ended;

  expect(Math.max(...during)).toBeLessThan(30);
});
