/** What is read of DescribeSubnets, and compared. */
import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { CodedError } from '../../../src/model/coded-error.ts';
import type { Target } from '../../../src/model/target.ts';
import { plannedBy, PolledTarget } from '../../support/polled-target.ts';

const zone = 'ap-guangzhou-3';
const row = (id: string, free: number, total = 253) => ({
  SubnetId: id,
  Zone: zone,
  AvailableIpAddressCount: free,
  TotalIpAddressCount: total,
  Ipv6CidrBlock: '',
});
const answer = (...rows: readonly object[]) => ({ SubnetSet: rows, TotalCount: rows.length });

const target = (...ids: readonly string[]) =>
  ({
    account: 'production',
    region: 'ap-guangzhou',
    operation: 'DescribeSubnets',
    ids,
  }) as Target;
const collector = collectors.of(target());
const types = [{ type: 'S5.LARGE8', subnets: ['subnet-b', 'subnet-a'] }];
const factsOf = ({ record }: PolledTarget) => collector.launchFacts(record).subnets;
const known = { zone, isGone: false, isKnown: true, hasIpv6: false };
const unknown = { zone: null, isGone: false, isKnown: false, hasIpv6: null };
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
  const others = [
    { id: 'subnet-a', ...known },
    { id: 'subnet-b', ...known },
  ];
  expect(factsOf(polled)).toEqual([...others, { id: 'subnet-x', ...unknown }]);
  await polled.poll();
  const gone = { ...unknown, isKnown: true, isGone: true };
  expect(factsOf(polled)).toEqual([...others, { id: 'subnet-x', ...gone }]);
});

test('a subnet whose row cannot be read costs no other, when it is asked for alone after a refusal', async () => {
  const polled = new PolledTarget(target('subnet-b', 'subnet-x', 'subnet-a'));
  polled.answer = (parameters) => {
    const ids = Object.values(parameters).filter((id) => id.startsWith('subnet-'));
    if (ids.includes('subnet-x')) throw new CodedError('ResourceNotFound', '');
    return answer(...ids.map((id) => (id === 'subnet-a' ? { SubnetId: 7 } : row(id, 9, 9))));
  };

  expect((await polled.poll()).code).toBe(null);
  expect(factsOf(polled)).toEqual([
    { id: 'subnet-b', ...known },
    { id: 'subnet-x', ...unknown },
    { id: 'subnet-a', ...unknown },
  ]);
});

test('a subnet that answers lack is unknown, then gone, and its quota disappears after three polls', async () => {
  const polled = new PolledTarget(target('subnet-a', 'subnet-b'));
  await polled.poll(answer(row('subnet-a', 9), row('subnet-b', 9)));

  const polls = [];
  const isGone = [];
  for (let i = 0; i < 4; i += 1) {
    polls.push(await polled.poll(answer(row('subnet-a', 9))));
    isGone.push(factsOf(polled)?.find(({ id }) => id === 'subnet-b'));
  }

  expect(polls.map(({ missing }) => missing)).toEqual(
    polls.map(() => ['subnet-b: not in the answer']),
  );
  expect(polls.flatMap(({ changes }) => changes)).toEqual(['quota-disappeared 253 → none']);
  const lacking = { id: 'subnet-b', zone, isGone: false, isKnown: false, hasIpv6: null };
  const gone = { ...lacking, isGone: true, isKnown: true };
  expect(isGone).toEqual([lacking, gone, gone, gone]);
  await polled.poll(answer(row('subnet-a', 9), row('subnet-b', 9)));
  expect(factsOf(polled)).toContainEqual({ id: 'subnet-b', ...known });
});

test('a subnet is not gone after one empty answer, nor while an answer may have it', async () => {
  const polled = new PolledTarget(target('subnet-a'));
  const isKnown = async (fields: object) => {
    await polled.poll(fields);
    return factsOf(polled)?.map((each) => [each.isKnown, each.isGone]);
  };

  expect(await isKnown(answer(row('subnet-a', 9)))).toEqual([[true, false]]);
  expect(await isKnown(answer())).toEqual([[false, false]]);
  expect(await isKnown(answer({ ...row('subnet-a', 9), Zone: 7 }))).toEqual([[false, false]]);
  expect(await isKnown({ ...answer({}, row('subnet-z', 9)) })).toEqual([[false, false]]);
  expect(await isKnown(answer())).toEqual([[true, true]]);
  expect(await isKnown(answer(row('subnet-a', 400)))).toEqual([[false, false]]);
  expect(await isKnown(answer(row('subnet-a', 9)))).toEqual([[true, false]]);
});

test('a subnet of another region is no answer, and one with two contents is unknown', async () => {
  const polled = new PolledTarget(target('subnet-a'));
  const own = row('subnet-a', 9);

  expect(await polled.poll(answer({ ...own, Zone: 'ap-shanghai-3' }))).toMatchObject({
    code: 'InvalidResponse',
  });
  await polled.poll(answer(own, row('subnet-a', 8)));
  expect(factsOf(polled)).toEqual([{ id: 'subnet-a', ...unknown }]);
  await polled.poll(answer(own, own));
  expect(factsOf(polled)).toEqual([{ id: 'subnet-a', ...known }]);
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
    expect(factsOf(polled)).toEqual([
      { id: 'subnet-a', ...known },
      { id: 'subnet-b', ...unknown },
    ]);
  }
});

test('a subnet is lacking in an answer with more rows than it counts, and unknown if it has less', async () => {
  const polled = new PolledTarget(target('subnet-a', 'subnet-b'));
  const rows = [row('subnet-a', 9), row('subnet-z', 9)];
  const isGone = async (TotalCount: number) => {
    await polled.poll({ SubnetSet: rows, TotalCount });
    return factsOf(polled)?.map((each) => each.isGone);
  };

  expect(await isGone(7)).toEqual([false, false]);
  expect(await isGone(7)).toEqual([false, false]);
  expect(await isGone(1)).toEqual([false, false]);
  expect(await isGone(1)).toEqual([false, true]);
});

test.each([
  ['could not be read', [row('subnet-a', 9), row('subnet-b', 300)], 0],
  ['may be in a row without an ID', [row('subnet-a', 9), {}], 0],
  ['is lacking beside a row that cannot be read', [row('subnet-a', 300)], 1],
])(
  'a subnet that %s appears with the next answer, or was there',
  async (_what, first, appeared) => {
    const polled = new PolledTarget(target('subnet-a', 'subnet-b'));
    await polled.poll(answer(...first));

    const { changes } = await polled.poll(answer(row('subnet-b', 9), row('subnet-a', 9)));

    expect(changes).toHaveLength(appeared);
  },
);

test('a target asks for the addresses of its subnets', () => {
  const [own, type] = [target('subnet-a'), 'subnet_addresses'];

  expect(collector.reportableQuotas(own)).toEqual([{ type, zones: null, resources: ['subnet-a'] }]);
  expect(collector.reportableQuotas(target())).toEqual([]);
  expect(factsOf(new PolledTarget(own))).toEqual([{ id: 'subnet-a', ...unknown }]);
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
  const planned = plannedBy('DescribeSubnets', { accountKeys: { launches }, regionKeys });

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
