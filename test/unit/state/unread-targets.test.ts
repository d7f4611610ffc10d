import { expect, it } from 'vitest';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import { targetKey, type Target } from '../../../src/model/target.ts';
import { UnreadTargets } from '../../../src/state/unread-targets.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';

const [a, b, c]: readonly Target[] = ['a', 'b', 'c'].map((account) => ({
  account,
  region: 'ap-guangzhou',
  operation: 'DescribeAccountQuota',
}));

function setUp(...targets: readonly Target[]) {
  const published = new PublishedRecords();
  const { logger, lines } = recordingLogger();
  const unread = new UnreadTargets(published, logger);
  for (const target of targets) unread.add({ target, reason: `EIO ${target.account}` });
  return { unread, published, lines };
}

it('logs the first unread target, and when the last was read', () => {
  const { unread, lines, published } = setUp(a!, b!);
  expect(published.isProvisional(targetKey(b!))).toBe(true);
  expect(unread.problem).toMatch(/^2 .*EIO b$/);

  expect(unread.removeRead([a!, b!], [{ target: b!, reason: 'EACCES' }])).toEqual([a]);
  expect(unread.problem).toMatch(/^1 .*EACCES$/);
  expect(unread.all()).toEqual([b]);
  expect(unread.removeRead([b!], [])).toEqual([b]);
  expect(unread.removeRead([], [])).toEqual([]);

  expect(unread.size).toBe(0);
  expect(unread.problem).toBeNull();
  expect(lines.map(({ level, fields }) => [level, fields])).toEqual([
    ['error', { reason: 'EIO a' }],
    ['info', {}],
  ]);
});

it('keeps the reason of targets that a reload added while others were read', () => {
  const { unread } = setUp(a!, c!);

  expect(unread.removeRead([a!], [])).toEqual([a]);

  expect(unread.problem).toMatch(/^1 .*EIO c$/);
});

it('returns no target that a reload removed while it was read', () => {
  const { unread } = setUp(a!, b!);
  unread.keepOnly(new Set([targetKey(b!)]));
  expect(unread.problem).toMatch(/^1 .*EIO b$/);

  expect(unread.removeRead([a!, b!], [])).toEqual([b]);
});

it('has no problem, and logs nothing, when a reload removed all of them', () => {
  const { unread, lines } = setUp(a!);

  unread.keepOnly(new Set());
  unread.removeRead([a!], []);

  expect(unread.problem).toBeNull();
  expect(lines).toHaveLength(1);
  unread.add({ target: b!, reason: 'EIO' });
  expect(lines).toHaveLength(2);
});
