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
const types = [{ type: 'S5.LARGE8', subnets: ['subnet-b', 'subnet-a'] }];
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
  expect(collector.json(polled.record.observed.snapshot!)).toEqual({
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

test.each([
  'ResourceNotFound',
  'InvalidParameterValue.Malformed',
  'UnsupportedOperation.AppIdMismatch',
])('a subnet that is refused with %s among good ones costs only itself', async (refusal) => {
  const polled = new PolledTarget(target('subnet-a', 'subnet-b', 'subnet-x'));
  polled.answer = (parameters) => {
    const ids = Object.values(parameters).filter((id) => id.startsWith('subnet-'));
    if (ids.includes('subnet-x')) throw new CodedError(refusal, '');
    return answer(...ids.map((id) => row(id, 9, 9)));
  };

  const { code, missing } = await polled.poll();

  expect([code, missing]).toEqual([null, [`subnet-x: refused with ${refusal}`]]);
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

test('a target without subnets asks for nothing', async () => {
  const polled = new PolledTarget(target());

  expect(await polled.poll()).toMatchObject({ code: null, missing: [] });
  expect(polled.requests).toEqual([]);
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

test('a subnet is absent if an answer has more rows than it counts, and unknown if it has less', async () => {
  const polled = new PolledTarget(target('subnet-a', 'subnet-b'));
  const rows = [row('subnet-a', 9), row('subnet-z', 9)];

  await polled.poll({ SubnetSet: rows, TotalCount: 1 });
  expect(factsOf(polled)).toHaveLength(2);
  await polled.poll({ SubnetSet: rows, TotalCount: 7 });
  expect(factsOf(polled)).toHaveLength(1);
});

test('a subnet that the last answer lacked appears, unless it could not be read', async () => {
  const polled = new PolledTarget(target('subnet-a', 'subnet-b'));
  await polled.poll(answer(row('subnet-a', 300)));

  const { changes } = await polled.poll(answer(row('subnet-b', 9), row('subnet-a', 9)));

  expect(changes).toEqual([]);
});

test('a target asks for the addresses of its subnets', () => {
  const [own, type] = [target('subnet-a'), 'subnet_addresses'];

  expect(collector.reportableQuotas(own)).toEqual([{ type, zones: null, resources: ['subnet-a'] }]);
  expect(collector.reportableQuotas(target())).toEqual([]);
  expect(factsOf(new PolledTarget(own))).toEqual([]);
  const many = ['subnet-1', 'subnet-2', 'subnet-3', 'subnet-4', 'subnet-5', 'subnet-6'];
  expect(collector.details(target(...many))).toBe(many.slice(0, 5).join(', '));
});

test.each<[launches: boolean, regionKeys: Record<string, unknown>, planned: string[] | null]>([
  [false, {}, null],
  [false, { subnets: ['subnet-b', 'subnet-a'] }, ['subnet-a', 'subnet-b']],
  [false, { subnets: ['subnet-b'], instance_types: types }, ['subnet-b']],
  [true, { subnets: ['subnet-b'], instance_types: types }, ['subnet-a', 'subnet-b']],
  [true, { launch_templates: 'all' }, []],
])('with launches: %s, a region with %j has the subnets %j', (launches, regionKeys, subnets) => {
  const place = { account: 'production', region: 'ap-guangzhou', site: 'domestic' } as const;
  const planned = collector.plan({ ...place, accountKeys: { launches }, regionKeys }, []);

  expect(planned).toEqual(subnets === null ? [] : [target(...subnets)]);
});

test('another selection is no change', async () => {
  const polled = new PolledTarget(target('subnet-a'));
  await polled.poll(answer(row('subnet-a', 9)));
  polled.select(target('subnet-b'));

  expect(quotasOf(polled)).toEqual([]);
  polled.select(target('subnet-a', 'subnet-b'));
  const { changes, missing } = await polled.poll(answer(row('subnet-a', 9), row('subnet-b', 9)));
  expect([changes, missing]).toEqual([[], []]);
});
