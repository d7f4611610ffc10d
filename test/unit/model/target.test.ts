import { expect, it } from 'vitest';
import { targetKey, type Target } from '../../../src/model/target.ts';

const target: Target = { account: 'a', region: 'b', operation: 'c' };

it('targetKey is a file name of account, region, operation and resource', () => {
  expect(targetKey(target)).toBe('a@b@c');
  expect(targetKey({ ...target, resource: { template_id: 'lt-1' } })).toBe('a@b@c@lt-1');
});

it('targetKey distinguishes targets whose names begin or end alike', () => {
  expect(targetKey({ ...target, account: 'ab', region: 'c' })).not.toBe(
    targetKey({ ...target, account: 'a', region: 'bc' }),
  );
});
