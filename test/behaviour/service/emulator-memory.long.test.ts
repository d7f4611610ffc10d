import { expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { heapBytes } from '../../support/heap.ts';
import { sampleScenario } from '../../support/sample-scenario.ts';

test('10,000 large requests leave nothing behind that grows', async () => {
  const { handle, requests } = await createEmulator({
    scenario: { ...sampleScenario, requests_per_second: 1_000_000 },
  });
  const ask = (n: number, padding: string) =>
    handle({
      method: 'GET',
      target: `/?Action=${n}${padding}&Version=2017-03-12&Region=${n}${padding}&SecretId=${n}`,
      headers: { host: `${n}.example`, 'x-padding': padding },
    }).status;
  Array.from({ length: 10_000 }, (_, n) => ask(n, ''));
  const beforeBytes = heapBytes();

  Array.from({ length: 10_000 }, (_, n) => ask(n, 'x'.repeat(10_000)));

  expect(requests.list()).toHaveLength(10_000);
  expect(heapBytes() - beforeBytes).toBeLessThan(20_000_000);
});
