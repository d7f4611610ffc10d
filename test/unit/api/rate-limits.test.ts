import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OperationLimits } from '../../../src/api/operation-limits.ts';
import { RateLimits } from '../../../src/api/rate-limits.ts';
import { expectResolvedBetween, turnOf } from '../../helpers/turns.ts';

const quota = 'DescribeAccountQuota';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Configures the accounts, and tells of those that were found to share a limit. */
function limitsOfAccounts(...accounts: string[]) {
  const shared: string[] = [];
  const limits = new RateLimits(10, (account, other) => shared.push(`${account} ${other}`));
  limits.configure(new Set(accounts), 10);
  return { limits, shared };
}

describe('the rate limit of an account', () => {
  it('outlives the account, while it still holds requests back', async () => {
    const { limits } = limitsOfAccounts('a', 'b');
    const before = limits.limitsOf('a', 'id').of(quota);
    const token = await turnOf(before);
    token.sent();

    limits.configure(new Set(['b']), 10);
    limits.configure(new Set(['a', 'b']), 10);

    expect(limits.limitsOf('a', 'id').of(quota)).toBe(before);
  });

  it('is forgotten once the account is gone and it is idle', () => {
    const { limits } = limitsOfAccounts('a');
    const before = limits.limitsOf('a', 'id').of(quota);

    limits.configure(new Set(), 10);

    expect(limits.limitsOf('a', 'id').of(quota)).not.toBe(before);
  });

  it('gives a turn at once to an account whose SecretId stays', async () => {
    const { limits } = limitsOfAccounts('a');
    limits.limitsOf('a', 'id');

    await expect(turnOf(limits.limitsOf('a', 'id').of(quota))).resolves.toBeDefined();
  });

  it('stays when temporary credentials are replaced', () => {
    const { limits, shared } = limitsOfAccounts('a', 'b');
    const before = limits.limitsOf('a', 'first');
    limits.limitsOf('b', 'other');

    expect(limits.limitsOf('a', 'second')).toBe(before);
    expect(shared).toEqual([]);
  });

  it('is that of another account with the same SecretId, which is reported once', () => {
    const { limits, shared } = limitsOfAccounts('a', 'b');
    const before = limits.limitsOf('a', 'id');

    expect(limits.limitsOf('b', 'id')).toBe(before);
    expect(limits.limitsOf('b', 'id')).toBe(before);
    expect(shared).toEqual(['b a']);
  });

  it('is reported once for two accounts, whichever joins the other, and for each two', () => {
    const { limits, shared } = limitsOfAccounts('a', 'b', 'c');
    limits.limitsOf('a', 'first');
    limits.limitsOf('b', 'first');
    limits.limitsOf('b', 'second');
    limits.limitsOf('a', 'second');
    limits.limitsOf('c', 'second');

    expect(shared).toEqual(['b a', 'c a']);
  });

  it('is shared by all accounts before they are known', () => {
    const shared: string[] = [];
    const limits = new RateLimits(10, (account, other) => shared.push(`${account} ${other}`));
    limits.limitsOf('a', 'id').of(quota);
    limits.limitsOf('b', 'id');

    expect(shared).toEqual(['b a']);
    expect(limits.rates().map(({ account }) => account)).toEqual(['a', 'b']);
  });

  it('is that of the same account under its former name, which is no reason to warn', () => {
    const { limits, shared } = limitsOfAccounts('production');
    const before = limits.limitsOf('production', 'id');
    void turnOf(before.of(quota));
    limits.configure(new Set(['prod']), 10);

    expect(limits.limitsOf('prod', 'id')).toBe(before);
    expect(shared).toEqual([]);
  });

  it('is its own again, after a pause, when its SecretId is no longer that of the other', async () => {
    const { limits } = limitsOfAccounts('a', 'b');
    const before = limits.limitsOf('a', 'id');
    before.of(quota);
    limits.limitsOf('b', 'id');

    const own = limits.limitsOf('b', 'other').of(quota);

    await expectResolvedBetween(turnOf(own), 1_200, 1_300);
    expect(limits.limitsOf('a', 'id')).toBe(before);
  });

  it('keeps a lowered rate when it is its own again', async () => {
    const { limits } = limitsOfAccounts('a', 'b');
    const before = limits.limitsOf('a', 'id').of(quota);
    limits.limitsOf('b', 'id');
    const { atMs } = await turnOf(before);
    before.throttled(atMs, 1_000);

    limits.limitsOf('b', 'other');

    expect(limits.rates()).toEqual([
      { account: 'a', operation: quota, requestsPerSecond: 5 },
      { account: 'b', operation: quota, requestsPerSecond: 5 },
    ]);
  });

  it('pauses when another account joins it whose requests were counted elsewhere', async () => {
    const { limits } = limitsOfAccounts('a', 'b');
    const own = limits.limitsOf('a', 'id').of(quota);
    limits.limitsOf('b', 'other');

    limits.limitsOf('b', 'id');

    await expectResolvedBetween(turnOf(own), 1_200, 1_300);
  });

  it('is paused with those of all operations, also where it is used for the first time', async () => {
    const { limits } = limitsOfAccounts('a');
    const all = limits.limitsOf('a', 'id');
    const { atMs } = await turnOf(all.of(quota));
    all.throttled(atMs, 1_000);

    await expectResolvedBetween(turnOf(all.of('DescribeLaunchTemplateVersions')), 990, 1_010);
  });

  it('of unsigned requests is not shared', () => {
    const { limits, shared } = limitsOfAccounts('a', 'b');

    expect(limits.limitsOf('a', null)).not.toBe(limits.limitsOf('b', null));
    expect(shared).toEqual([]);
  });

  it('follows the configuration, and is shown for configured accounts alone', () => {
    const { limits } = limitsOfAccounts('a', 'b');
    limits.limitsOf('a', 'id-a').of(quota);
    // It is in use, so it is not forgotten.
    void turnOf(limits.limitsOf('b', 'id-b').of(quota));

    limits.configure(new Set(['a']), 3);

    expect(limits.rates()).toEqual([{ account: 'a', operation: quota, requestsPerSecond: 3 }]);
  });
});

describe('the limits of one SecretId', () => {
  it('are idle once no pause is left, and no operation is in use', async () => {
    const limits = new OperationLimits(10);
    const [used, unused] = [limits.of(quota), limits.of('DescribeLaunchTemplates')];
    const idle = [limits.isIdle];

    limits.pause(1_000);
    idle.push(limits.isIdle);
    await vi.advanceTimersByTimeAsync(1_000);
    idle.push(limits.isIdle);
    await turnOf(used);
    idle.push(limits.isIdle);

    expect(idle).toEqual([true, false, true, false]);
    expect(unused.isIdle).toBe(true);
  });
});
