import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMonitor, quota, quotas, quotaTarget } from '../../../../helpers/fake-monitor.ts';

const minute = 60_000;
const target = quotaTarget('production', 'ap-guangzhou');
let monitor: FakeMonitor;

beforeEach(() => {
  monitor = new FakeMonitor(target);
  monitor.nowMs = Date.UTC(2026, 1, 3);
});

/** Polls at these minutes of the day, with these uses of a quota of 100. */
function poll(...polls: readonly (readonly [minutes: number, used: number])[]): void {
  for (const [minutes, used] of polls) {
    monitor.nowMs = Date.UTC(2026, 1, 3) + minutes * minute;
    monitor.poll(target, quotas(quota({ used, limit: 100 })));
  }
}

async function line() {
  const page = await monitor.text('/');
  const [, label = '', path = ''] =
    /class="trend"[^>]*aria-label="([^"]*)"[^>]*>\s*<path d="([^"]*)"/.exec(page) ?? [];
  return { label, path };
}

describe('the line of a quota', () => {
  test('ends at the present use, and is described in words', async () => {
    poll([0, 10], [15, 20], [30, 60], [42, 50]);

    expect(await line()).toEqual({
      label: 'Use in the last 24 h: from 10 to 50, lowest 10, highest 60',
      path: 'M97.1 100L98.1 80L99.2 0L100 20',
    });
  });

  test('breaks where the quota was stale', async () => {
    poll([0, 10], [15, 10], [60, 10], [75, 10], [76, 10]);

    const { label, path } = await line();

    expect(label).toContain(', 1 gap');
    expect(path.match(/M/g)).toHaveLength(2);
  });

  test('is whole for a schedule that polls less often than a step', async () => {
    monitor.staleAfterMs = 90 * minute;
    poll([0, 10], [60, 11], [120, 12], [180, 13]);

    const { label, path } = await line();

    expect(label).not.toContain('gap');
    expect(path.match(/M/g)).toHaveLength(1);
  });

  test('is in the middle for a use that stays, and a dot for a point between gaps', async () => {
    poll([0, 10], [60, 10], [120, 10], [121, 10]);

    expect((await line()).path).toBe('M91.6 50h0M95.8 50h0M99.9 50L100 50');
  });

  test('does not let a change of a few percent of the limit look like a cliff', async () => {
    poll([0, 50], [15, 52], [30, 52]);

    expect((await line()).path).toBe('M97.9 55L99 45L100 45L100 45');
  });

  test('stays where it was while the quota is stale', async () => {
    poll([0, 10], [15, 20], [30, 30]);
    monitor.nowMs += 12 * 60 * minute;

    const { path } = await line();

    expect(path).toBe('M47.9 100L49 50L50 0L50 0');
    expect(await monitor.text('/')).not.toContain('+20 in');
  });

  test('is missing for a quota that is new', async () => {
    poll([0, 10], [5, 11]);

    expect(await line()).toEqual({ label: '', path: '' });
  });
});
