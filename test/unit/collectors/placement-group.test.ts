/** What is read of DescribeDisasterRecoverGroups, and compared. What it shares with subnets is in subnet.test.ts. */
import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { CodedError } from '../../../src/model/coded-error.ts';
import type { Target } from '../../../src/model/target.ts';
import { templateTarget } from '../../support/fake-monitor.ts';
import { plannedBy, PolledTarget } from '../../support/polled-target.ts';
import { answered, templateSnapshot } from '../../support/records.ts';

const row = (id: string, CurrentNum: unknown, CvmQuotaTotal: unknown = 50) => ({
  ...{ DisasterRecoverGroupId: id, CvmQuotaTotal, CurrentNum, InstanceIds: ['ins-1'] },
});
const answer = (...rows: readonly object[]) => ({
  DisasterRecoverGroupSet: rows,
  TotalCount: rows.length,
});
const place = { account: 'production', region: 'ap-guangzhou' };
const target = (...ids: readonly string[]) =>
  ({ ...place, operation: 'DescribeDisasterRecoverGroups', ids }) as Target;
const collector = collectors.of(target());
const factsOf = ({ record }: PolledTarget) => collector.launchFacts(record).placementGroups;

test('the free instances of placement groups are quotas of the region', async () => {
  const polled = new PolledTarget(target('ps-a', 'ps-b'));

  const { missing } = await polled.poll(answer(row('ps-a', 47), row('ps-b', 60), row('ps-z', 1)));

  expect(missing).toEqual([]);
  const quota = { type: 'placement_group_instances', zone: null, unit: 'instances', limit: 50 };
  expect(collector.quotas(polled.record)).toEqual([
    { ...quota, labels: { placement_group_id: 'ps-a' }, used: 47, remaining: 3 },
    { ...quota, labels: { placement_group_id: 'ps-b' }, used: 60, remaining: -10 },
  ]);
  expect(JSON.stringify(polled.record)).not.toContain('ins-1');
  const known = { isGone: false, isKnown: true };
  expect(factsOf(polled)).toMatchObject(['ps-a', 'ps-b'].map((id) => ({ id, ...known })));
});

test.each([
  [10, [10]],
  [11, [10, 1]],
  [25, [10, 10, 5]],
  [30, [10, 10, 10]],
])('%i placement groups are asked about with %j IDs a request', async (groups, sizes) => {
  const ids = Array.from({ length: groups }, (_, i) => `ps-${i}`);
  const polled = new PolledTarget(target(...ids));
  const idsIn = (parameters: object) =>
    Object.entries(parameters).flatMap(([name, id]) =>
      name.startsWith('DisasterRecoverGroupIds.') ? String(id) : [],
    );
  polled.answer = (parameters) => answer(...idsIn(parameters).map((id) => row(id, 0)));

  expect(await polled.poll()).toMatchObject({ code: null, missing: [] });
  expect(polled.requests.map((parameters) => idsIn(parameters).length)).toEqual(sizes);
});

test('a placement group that is refused, lacking or unreadable costs only itself', async () => {
  const polled = new PolledTarget(target('ps-a', 'ps-b', 'ps-c', 'ps-x'));
  polled.answer = (parameters) => {
    const ids = Object.values(parameters);
    if (ids.includes('ps-x')) {
      throw new CodedError('InvalidParameterValue.DisasterRecoverGroupIdMalformed', '');
    }
    const rows = [row('ps-a', 1), row('ps-c', 1, null)];
    return answer(...rows.filter((each) => ids.includes(each.DisasterRecoverGroupId)));
  };
  const states = async () => {
    await polled.poll();
    return factsOf(polled)?.map(({ isGone, isKnown }) => [isGone, isKnown]);
  };

  const [known, unknown, gone] = [
    [false, true],
    [false, false],
    [true, true],
  ];
  expect(await states()).toEqual([known, unknown, unknown, unknown]);
  expect(await states()).toEqual([known, gone, unknown, gone]);
});

test('the default versions say which placement groups are asked about, each once', () => {
  const records = [['ps-b'], ['ps-a', 'ps-b'], null, []].map((placementGroups, i) => {
    const defaultVersion = { instanceType: 'S5.LARGE8', placementGroups };
    const own = templateTarget('production', 'ap-guangzhou', `lt-${i}`);
    return answered(own, templateSnapshot({ versions: [1], defaultVersion }));
  });
  const planned = (launches: boolean) =>
    plannedBy(target().operation, { accountKeys: { launches }, regionKeys: {} }, records);

  expect(planned(true)).toEqual([target('ps-a', 'ps-b')]);
  expect(planned(false)).toEqual([]);
  expect(collector.details(target('ps-a'))).toBe('ps-a');
  expect(collector.asksNothing(target())).toBe(true);
  const resources = ['ps-a'];
  const asked = [{ type: 'placement_group_instances', zones: null, resources }];
  expect(collector.reportableQuotas(target('ps-a'))).toEqual(asked);
  expect(collector.reportableQuotas(target())).toEqual([]);
});
