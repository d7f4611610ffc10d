/** Which prices are asked for and when, what of their answers counts, and what a refusal is. */
import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { CodedError } from '../../../src/model/coded-error.ts';
import type { Snapshot } from '../../../src/model/poll-outcome.ts';
import { hourMs, type Target } from '../../../src/model/target.ts';
import { templateTarget } from '../../support/fake-monitor.ts';
import { plannedBy, PolledTarget } from '../../support/polled-target.ts';
import { answered, quotaRecord, templateSnapshot } from '../../support/records.ts';

const [three, four] = ['ap-guangzhou-3', 'ap-guangzhou-4'] as const;
const option = (zone: string, more: object = {}) => ({
  version: 5,
  zone,
  imageId: 'img-1',
  ...more,
});
const place = { account: 'production', region: 'ap-guangzhou' };
const operation = 'InquiryPriceRunInstances';
const target = (...options: readonly object[]) =>
  ({
    ...place,
    operation,
    resource: { template_id: 'lt-1' },
    options,
    intervalMs: hourMs,
  }) as Target;
const collector = collectors.of(target());
const priced = { Price: { InstancePrice: null } };
const isDue = ({ nowMs, record }: PolledTarget, laterMs = 60_000) =>
  collector.needsPoll(record, nowMs + laterMs);
const answersOf = ({ record }: PolledTarget) => collector.launchFacts(record).prices!.answers;
const refusing =
  (codes: Readonly<Record<string, string>>) =>
  ({ 'Placement.Zone': zone = '' }: Readonly<Record<string, string>>) => {
    const code = codes[zone];
    if (code !== undefined) throw new CodedError(code, 'refused', { requestId: 'b2da6ace' });
    return priced;
  };

test('a price is asked for one instance of the version, with its zone and image', async () => {
  const polled = new PolledTarget(target(option(three), option(four, { imageId: '' })));

  expect(await polled.poll(priced)).toMatchObject({ code: null, missing: [] });
  const launch = {
    'LaunchTemplate.LaunchTemplateId': 'lt-1',
    'LaunchTemplate.LaunchTemplateVersion': '5',
    InstanceCount: '1',
  };
  expect(polled.requests).toEqual([
    { ...launch, 'Placement.Zone': three, ImageId: 'img-1' },
    { ...launch, 'Placement.Zone': four },
  ]);
  expect(answersOf(polled)).toMatchObject([
    { ...option(three), code: null, atMs: polled.nowMs },
    { zone: four, imageId: '' },
  ]);
  expect((await new PolledTarget(target(option(three))).poll({})).code).toBe('InvalidResponse');
});

test('a price that is known is asked for again once an hour, at another minute for each template', async () => {
  const minutes = new Set<number>();
  for (const id of ['lt-1', 'lt-2', 'lt-3']) {
    const polled = new PolledTarget({ ...target(option(three)), resource: { template_id: id } });
    await polled.poll(priced);
    const due = Array.from({ length: 120 }, (_, minute) => isDue(polled, minute * 60_000));
    expect(due.filter((is) => !is).length).toBeLessThan(60);
    expect(due.slice(60)).not.toContain(false);
    minutes.add(due.indexOf(true));
  }
  expect(minutes.size).toBe(3);
});

test.each([
  ['another version', option(three, { version: 6 })],
  ['another image', option(three, { imageId: 'img-2' })],
  ['another zone', option(four)],
])('%s is unknown, and asked for at once', async (_what, other) => {
  const polled = new PolledTarget(target(option(three)));
  await polled.poll(priced);
  expect([isDue(polled), answersOf(polled)]).toMatchObject([false, [{ code: null }]]);

  polled.select(target(other));

  expect([isDue(polled), answersOf(polled)]).toMatchObject([true, [{ code: null, atMs: null }]]);
});

test('what is refused is asked for in each cycle, and no other option with it', async () => {
  const polled = new PolledTarget(target(option(three), option(four)));
  polled.answer = refusing({ [four]: 'InvalidImageId.NotFound' });

  expect(await polled.poll()).toMatchObject({ code: null, missing: [] });
  expect(answersOf(polled)).toMatchObject([
    { zone: three, code: null, reason: null },
    { zone: four, code: 'InvalidImageId.NotFound', reason: 'refused' },
  ]);
  expect(polled.metrics()).toEqual({ 'cvm_launch_refused 5 InvalidImageId.NotFound': 1 });
  expect(isDue(polled)).toBe(true);
  polled.answer = refusing({});
  await polled.poll();

  expect(polled.requests.map((each) => each['Placement.Zone'])).toEqual([three, four, four]);
  expect([isDue(polled, 0), polled.metrics()]).toEqual([false, {}]);
});

test.each([
  ['ResourcesSoldOut.SpecifiedInstanceType', 'sold-out'],
  ['ResourceUnavailable.InstanceType', 'not-offered'],
  ['ResourceInsufficient.DisasterRecoverGroupCvmQuota', 'placement-group'],
  ['InstancesQuotaLimitExceeded', 'quota'],
])('%s has the reason %s, and is no refusal of the version', async (code, reason) => {
  const polled = new PolledTarget(target(option(three)));
  polled.answer = refusing({ [three]: code });
  await polled.poll();

  expect(answersOf(polled)).toMatchObject([{ code, reason }]);
  expect([isDue(polled), polled.metrics()]).toEqual([true, {}]);
});

test.each([
  ['InternalError.TradeUnknownError'],
  ['FailedOperation.InquiryPriceFailed'],
  ['InvalidParameterValue.LaunchTemplateIdVerNotExisted'],
  ['InvalidParameterValue.NeverHeardOf'],
])('%s says nothing of the version: it costs its zone only, and names the code', async (code) => {
  const polled = new PolledTarget(target(option(three), option(four)));
  polled.answer = refusing({ [four]: code });

  expect(await polled.poll()).toMatchObject({ code: null, missing: [`${four}: ${code}`] });
  expect(answersOf(polled)).toMatchObject([
    { zone: three, atMs: polled.nowMs },
    { zone: four, atMs: null },
  ]);
  expect(isDue(polled)).toBe(true);
  polled.select(target(option(four)));
  expect((await polled.poll()).code).toBe(code);
  expect(isDue(polled)).toBe(true);
});

test('a permission that is missing fails the target with the first request', async () => {
  const polled = new PolledTarget(target(option(three), option(four)));
  polled.answer = refusing({ [three]: 'UnauthorizedOperation' });

  expect((await polled.poll()).code).toBe('UnauthorizedOperation');
  expect(polled.requests).toHaveLength(1);
});

test('each default version is asked for in the zones where its launch could start', () => {
  const defaultVersion = {
    version: 5,
    imageId: 'img-1',
    instanceType: 'S5.LARGE8',
    chargeType: '',
  };
  const template = (id: string, more: object) =>
    answered(
      templateTarget(place.account, place.region, id),
      templateSnapshot({
        versions: [5],
        defaultVersion: {
          ...defaultVersion,
          ...{ zone: '', subnet: '', count: 1, ipv6Count: 0, disks: [], placementGroups: [] },
          ...more,
        },
      }),
    );
  const offer = { instanceType: 'S5.LARGE8', chargeType: 'postpaid' };
  const stockOf = (zones: readonly string[]) =>
    answered(
      {
        ...place,
        ...{ operation: 'DescribeZoneInstanceConfigInfos', needs: [], launches: [] },
        isInternational: false,
      } as Target,
      {
        ...{ missing: [], isWhole: true },
        asked: zones.length === 0 ? [] : [offer],
        rows: zones.map((zone) => ({ zone, ...offer, sells: true, level: 3, cpu: 2 })),
      } as Snapshot,
    );
  const stock = stockOf([three, four]);
  const plan = (accountKeys: Record<string, unknown>, regionKeys: Record<string, unknown>) =>
    plannedBy(operation, { accountKeys, regionKeys }, [
      template('lt-open', {}),
      template('lt-named', { zone: three, imageId: null }),
      template('lt-other', { chargeType: 'CDHPAID' }),
      stock,
    ]);
  const watching = { launch_templates: ['lt-open', 'lt-named', 'lt-other'] };

  expect(plan({ launches: true }, watching)).toMatchObject([
    { resource: { template_id: 'lt-open' }, options: [option(three), option(four)] },
    { resource: { template_id: 'lt-named' }, options: [option(three, { imageId: '' })] },
    { resource: { template_id: 'lt-other' }, options: [] },
  ]);
  expect(plan({ launches: false }, watching)).toEqual([]);
  expect(collector.asksNothing(target())).toBe(true);
  // Until the stock answers, the quotas say where: a poll that had nothing to ask got no answer.
  const keys = { accountKeys: { launches: true }, regionKeys: watching };
  for (const noStock of [[], [stockOf([])]]) {
    const records = [template('lt-open', {}), quotaRecord(place.region), ...noStock];
    expect(plannedBy(operation, keys, records)).toMatchObject([
      { options: [option('ap-guangzhou-1')] },
    ]);
  }
});
