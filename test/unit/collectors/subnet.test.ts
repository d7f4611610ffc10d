/** What is read of DescribeSubnets, and compared. */
import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { CodedError } from '../../../src/model/coded-error.ts';
import type { Target } from '../../../src/model/target.ts';
import { PolledTarget } from '../../support/polled-target.ts';

const zone = 'ap-guangzhou-3';
const row = (id: string, free: number, total = 253) => ({
  SubnetId: id,
  Zone: zone,
  AvailableIpAddressCount: free,
  TotalIpAddressCount: total,
});
const answer = (...rows: readonly object[]) => ({ SubnetSet: rows, TotalCount: rows.length });

const target = (...subnets: readonly string[]) =>
  ({
    account: 'production',
    region: 'ap-guangzhou',
    operation: 'DescribeSubnets',
    subnets,
  }) as Target;
const collector = collectors.of(target());
const factsOf = ({ record }: PolledTarget) => collector.launchFacts(record).subnets;
const quotasOf = ({ record }: PolledTarget) =>
  collector
    .quotas(record)
    .map(({ labels, limit, remaining, used }) => [labels?.subnet_id, used, remaining, limit]);

test('two subnets of a zone are two quotas', async () => {
  const polled = new PolledTarget(target('subnet-a', 'subnet-b'));

  const { missing } = await polled.poll(answer(row('subnet-a', 200), row('subnet-b', 3, 13)));

  expect(missing).toEqual([]);
  expect(quotasOf(polled)).toEqual([
    ['subnet-a', 53, 200, 253],
    ['subnet-b', 10, 3, 13],
  ]);
  expect(collector.json(polled.record.seen.snapshot!)).toEqual({
    subnets: [
      { subnet_id: 'subnet-a', zone, total: 253, available: 200 },
      { subnet_id: 'subnet-b', zone, total: 13, available: 3 },
    ],
    absent: [],
  });
  expect(polled.requests).toEqual([
    { 'SubnetIds.0': 'subnet-a', 'SubnetIds.1': 'subnet-b', Offset: '0', Limit: '100' },
  ]);
  const { changes } = await polled.poll(answer(row('subnet-a', 100), row('subnet-b', 3, 61)));
  expect(changes).toEqual(['quota-limit-raised 13 → 61']);
});

test('a subnet of another account among good ones costs only itself', async () => {
  const polled = new PolledTarget(target('subnet-a', 'subnet-b', 'subnet-x'));
  polled.answer = (parameters) => {
    const ids = Object.entries(parameters).flatMap(([key, id]) =>
      key.startsWith('SubnetIds.') ? [id] : [],
    );
    if (ids.includes('subnet-x')) throw new CodedError('UnsupportedOperation.AppIdMismatch', '');
    return answer(...ids.map((id) => row(id, 9)));
  };

  const { code, missing } = await polled.poll();

  expect([code, missing]).toEqual([
    null,
    ['subnet-x: refused with UnsupportedOperation.AppIdMismatch'],
  ]);
  expect(factsOf(polled)).toEqual([
    { id: 'subnet-a', zone },
    { id: 'subnet-b', zone },
    { id: 'subnet-x', zone: null },
  ]);
});

test('a subnet that answers lack is absent, and disappears after three polls', async () => {
  const polled = new PolledTarget(target('subnet-a', 'subnet-b'));
  await polled.poll(answer(row('subnet-a', 9), row('subnet-b', 9)));

  const polls = [];
  for (let i = 0; i < 4; i += 1) polls.push(await polled.poll(answer(row('subnet-a', 9))));

  expect(polls.map(({ missing }) => missing)).toEqual(
    polls.map(() => ['subnet-b: not in the answer']),
  );
  expect(polls.flatMap(({ changes }) => changes)).toEqual(['quota-disappeared 253 → none']);
  expect(factsOf(polled)).toContainEqual({ id: 'subnet-b', zone: null });
});

test('a subnet that cannot be read is unknown, and not absent', async () => {
  const polled = new PolledTarget(target('subnet-a', 'subnet-b'));
  const odd = row('subnet-b', 300);

  for (const unread of [odd, { ...odd, SubnetId: null }]) {
    const { missing } = await polled.poll(answer(row('subnet-a', 9), unread));

    expect(missing).toHaveLength(1);
    expect(factsOf(polled)).toEqual([{ id: 'subnet-a', zone }]);
  }
});

test('another selection is no change', async () => {
  const polled = new PolledTarget(target('subnet-a'));
  await polled.poll(answer(row('subnet-a', 9)));
  polled.record = collector.continueRecord(polled.record, target('subnet-b'));

  expect(quotasOf(polled)).toEqual([]);
  polled.record = collector.continueRecord(polled.record, target('subnet-a', 'subnet-b'));
  const { changes, missing } = await polled.poll(answer(row('subnet-a', 9), row('subnet-b', 9)));
  expect([changes, missing]).toEqual([[], []]);
});
