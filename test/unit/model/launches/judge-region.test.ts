/** The launches of a region: what their records say, their words, and what they share. */
import { expect, test } from 'vitest';
import type { JudgedPart } from '../../../../src/model/launches/judge-launch.ts';
import type { Launch, StockRow, UnjudgedLaunch } from '../../../../src/model/launches/launch.ts';
import {
  blockedSinceAfter,
  judgeLaunches,
  judgeTargets,
} from '../../../../src/model/launches/judge-region.ts';
import type { TargetFacts } from '../../../../src/model/launches/region-facts.ts';
import type { Quota } from '../../../../src/model/quota.ts';
import type { Thresholds } from '../../../../src/model/thresholds.ts';
import { override, sampleLaunch } from '../../../support/records.ts';

const [three, four] = ['ap-x-3', 'ap-x-4'] as const;
const place = { account: 'a', region: 'ap-x' };

const facts = (of: Partial<TargetFacts>): TargetFacts => ({
  isUp: true,
  quotas: [],
  reportable: [],
  blockedSince: {},
  ...of,
});

const quota = (fields: Partial<Quota>): Quota => ({
  type: 'postpaid',
  zone: three,
  unit: 'instances',
  used: 0,
  remaining: 9,
  limit: 9,
  ...fields,
});
const full = { used: 9, remaining: 0 };
const ofQuotas = (...rows: readonly Partial<Quota>[]) => {
  const quotas = rows.map(quota);
  return facts({ quotas, reportable: quotas.map(({ type }) => ({ type, zones: null })) });
};

/** Also of the spot instances of the type. */
const ofStock = (row: Partial<StockRow> = {}, more: Partial<TargetFacts> = {}) => {
  const offer = { instanceType: 'S5.LARGE8', chargeType: row.chargeType ?? 'postpaid' } as const;
  const sold = { ...offer, zone: three, sells: true, level: 3, cpu: 1, ...row };
  const stock = { asked: [offer], isWhole: true, rows: [sold], histories: [] };
  return facts({ stock, ...more });
};
const subnets = [{ id: 'subnet-a', zone: three, isGone: false, isKnown: true, hasIpv6: false }];
const ofTemplate = (fields: Partial<Launch> = {}, more: Partial<TargetFacts> = {}) =>
  facts({ launches: [{ ...sampleLaunch, ...fields }], ...more });

const judge = (all: readonly TargetFacts[], overrides: Thresholds['overrides'] = []) =>
  judgeLaunches(place, all, { overrides });
const only = (...all: readonly TargetFacts[]) => judge(all)[0]!;
const partsOf = (parts: readonly JudgedPart[]) => parts.map(({ part }) => part.name);

test('launches are judged only where stock is watched', () => {
  expect(judge([ofTemplate(), ofQuotas({})])).toEqual([]);
  expect(judge([ofTemplate(), ofQuotas({}), ofStock()])).toHaveLength(1);
});

test('a launch that nothing blocks is bound by the part with the least room', () => {
  const row = only(ofTemplate(), ofQuotas({ remaining: 5 }), ofStock());

  expect(row).toMatchObject({ ...place, templateId: 'lt-1', unjudged: null, sharing: 0 });
  expect(row).toMatchObject({ state: 'fine', headroom: 5, blocking: [], sinceMs: null });
  expect(partsOf(row.parts)).toEqual(['version', 'quota', 'stock']);
  expect(partsOf(row.binding)).toEqual(['quota']);
});

test('a launch is bound by nothing where nothing has a number', () => {
  const row = only(ofTemplate(), ofStock());

  expect(row).toMatchObject({ state: 'fine', headroom: null, binding: [] });
});

test('a launch is bound by what is unknown, before what has room', () => {
  const row = only(ofTemplate(), ofQuotas({}), ofStock({}, { isUp: false }));

  expect(row.state).toBe('unknown');
  expect(partsOf(row.binding)).toEqual(['stock']);
});

test('a launch is bound by what blocks it, the critical part first, since the first of them blocks', () => {
  const blockedSince = { 'lt-1 stock': 300, 'lt-1 subnet': 400, 'lt-1 quota': 100 };
  const spot = { chargeType: 'spotpaid', subnets: ['subnet-a'] } as const;
  const labels = { subnet_id: 'subnet-a' };
  const subnet = {
    ...ofQuotas({ type: 'subnet_addresses', labels, ...full }),
    subnets,
  };

  const row = only(
    ofTemplate(spot, { blockedSince }),
    subnet,
    ofStock({ chargeType: 'spotpaid', sells: false }),
  );

  expect(partsOf(row.blocking)).toEqual(['subnet', 'stock']);
  expect(row.binding).toEqual(row.blocking);
  expect(row).toMatchObject({ state: 'critical', sinceMs: 300 });
  expect(row.parts.map(({ sinceMs }) => sinceMs)).toEqual([null, 300, 400]);
});

test('a launch with a warning is unknown while a part is, since that may be worse, and is bound by both', () => {
  const row = only(
    ofTemplate({ chargeType: 'spotpaid' }, { isUp: false }),
    ofStock({ chargeType: 'spotpaid', sells: false }),
  );

  expect(row).toMatchObject({ state: 'unknown', headroom: 0 });
  expect(partsOf(row.binding)).toEqual(['stock', 'version']);
});

test('a version whose price is refused for the reason of another part is blocked by it, unless that part is', () => {
  const answer = { version: 3, zone: three, code: 'X', reason: 'quota', atMs: 0 };
  const price = facts({ prices: { templateId: 'lt-1', answers: [answer] } });
  const blockedBy = (...more: readonly TargetFacts[]) =>
    partsOf(only(ofTemplate(), price, ofStock(), ...more).blocking);

  expect([blockedBy(), blockedBy(ofQuotas({}))]).toEqual([['version'], ['version']]);
  expect(blockedBy(ofQuotas(full))).toEqual(['quota']);
});

test('what is not up now tells neither quotas, nor subnets', () => {
  const row = only(
    ofTemplate({ subnets: ['subnet-a'] }),
    { ...ofQuotas({}), isUp: false },
    facts({ subnets, isUp: false }),
    ofStock(),
  );

  expect(partsOf(row.parts.filter(({ isKnown }) => !isKnown))).toEqual(['quota', 'subnet']);
});

test('a quota applies in the zones where it is asked for', () => {
  const asked = (...zones: readonly string[]) =>
    partsOf(
      only(ofTemplate(), ofStock(), facts({ reportable: [{ type: 'postpaid', zones }] })).parts,
    );

  expect(asked(three)).toEqual(['version', 'quota', 'stock']);
  expect(asked(four)).toEqual(['version', 'stock']);
  expect(only(ofTemplate(), ofStock())).toMatchObject({ leftOut: ['quota'] });
  expect(only(ofTemplate(), ofStock(), ofQuotas({}))).toMatchObject({ leftOut: [] });
});

test.each<[string, TargetFacts, readonly TargetFacts[]]>([
  ['fine', ofTemplate(), [ofStock()]],
  ['low', ofTemplate(), [ofStock({ level: 1 })]],
  ['fine', ofTemplate(), [ofStock({ level: 2 })]],
  ['unknown', ofTemplate(), [ofStock({}, { isUp: false })]],
  ['critical', ofTemplate(), [ofStock({ sells: false })]],
  [
    'low',
    ofTemplate({ chargeType: 'spotpaid' }),
    [ofStock({ chargeType: 'spotpaid', sells: false })],
  ],
  ['critical', ofTemplate(), [ofStock(), ofQuotas(full)]],
  ['unknown', ofTemplate({}, { isUp: false }), [ofStock()]],
  ['critical', ofTemplate({}, { isUp: false }), [ofStock({ sells: false })]],
])('the word of a launch is %s (%#)', (word, template, others) => {
  expect(only(template, ...others).state).toBe(word);
});

test('a launch is muted by an override, whatever blocks it', () => {
  const all = [ofTemplate(), ofStock({ sells: false })];

  expect(judge(all, [override({ zones: [three] }, null)])[0]!.state).toBe('muted');
  expect(judge(all, [override({ zones: [four] }, null)])[0]!.state).toBe('critical');
});

test('a launch that is not judged has a template and its reason, and nothing else', () => {
  const unjudged: UnjudgedLaunch = {
    templateId: 'lt-2',
    templateName: 'batch',
    version: 1,
    unjudged: 'its data could not be read',
  };
  const nothing = {
    ...{
      groupId: '',
      zone: null,
      isZoneNamed: false,
      instanceType: null,
      chargeType: null,
      subnets: null,
    },
    ...{ subnetsBindOwnZonesOnly: false, count: null, ipv6Count: null, isVersionKnown: false },
    ...{ disks: null, placementGroups: null },
    ...{ judgedZone: '', parts: [], headroom: null, stockLevel: null, soldIn: [], leftOut: [] },
    ...{ group: null, missing: null, isShort: false, shortSinceMs: null, source: null },
    ...{ state: 'unjudged', blocking: [], binding: [], sinceMs: null, sharing: 0 },
  };
  const all = [facts({ launches: [unjudged] }), ofStock()];

  expect(judge(all)).toEqual([{ ...place, ...unjudged, ...nothing }]);
  expect(judge(all, [override({ launch_templates: ['lt-2'] }, null)])).toMatchObject([
    { state: 'muted' },
  ]);
});

test('launches share the quota of a charge type in a zone, a subnet and a placement group, with other templates', () => {
  const inSubnet = { subnets: ['subnet-a'] };
  const all = [
    ofTemplate({ templateId: 'lt-1' }),
    ofTemplate({ templateId: 'lt-2' }),
    ofTemplate({ templateId: 'lt-3', zone: four }),
    ofTemplate({ templateId: 'lt-4', chargeType: 'prepaid', ...inSubnet }),
    ofTemplate({ templateId: 'lt-5', chargeType: 'spotpaid', ...inSubnet }),
    ofTemplate({ templateId: '' }),
    ofTemplate({ templateId: 'lt-6', zone: 'ap-x-5', placementGroups: ['ps-a'] }),
    ofTemplate({ templateId: 'lt-7', zone: 'ap-x-6', placementGroups: ['ps-a'] }),
    facts({
      placementGroups: [{ id: 'ps-a', isGone: false, isKnown: true, zone: null, hasIpv6: null }],
    }),
    ofQuotas({ labels: { placement_group_id: 'ps-a' } }),
    facts({ subnets }),
    ofQuotas({}, { type: 'prepaid' }, { type: 'spotpaid' }, { labels: { subnet_id: 'subnet-a' } }),
    ofStock(),
  ];

  expect(judge(all).map(({ sharing, templateId }) => [templateId, sharing])).toEqual([
    ['lt-1', 1],
    ['lt-2', 1],
    ['lt-3', 0],
    ['lt-4', 1],
    ['lt-5', 1],
    ['', 2],
    ['lt-6', 1],
    ['lt-7', 1],
  ]);
});

test('a part blocks since it was first found to, while it blocks or is unknown', () => {
  const soldOut = [ofTemplate(), ofStock({ sells: false })];
  const unknown = [ofTemplate(), ofStock({}, { isUp: false })];
  const fine = [ofTemplate(), ofStock()];
  const after = (before: object, [template, stock]: readonly TargetFacts[], nowMs: number) =>
    blockedSinceAfter(before as never, judgeTargets(place, [template!, stock!])[0] ?? [], nowMs);

  const first = after({}, soldOut, 100);
  expect(first).toEqual({ 'lt-1 stock': 100 });
  expect(after(first, soldOut, 200)).toBe(first);
  expect(after(first, unknown, 300)).toBe(first);
  expect(after(first, [ofTemplate({ version: 4, zone: three }), soldOut[1]!], 300)).toBe(first);
  expect(after(first, fine, 400)).toEqual({});
  expect(after({}, unknown, 500)).toEqual({});
  expect(after(first, [ofTemplate(), facts({})], 600)).toEqual({});
});

test('a launch that is not judged has blocked since before, only while its version is uncertain', () => {
  const since = { 'lt-1 stock': 100 };
  const unjudged = { ...sampleLaunch, unjudged: 'x' };
  const after = (version: number | null) =>
    blockedSinceAfter(
      since,
      judgeTargets(place, [facts({ launches: [{ ...unjudged, version }] }), ofStock()])[0]!,
      200,
    );

  expect(after(null)).toBe(since);
  expect(after(3)).toEqual({});
});

test('launches of the configuration have times of their own in the record of the stock', () => {
  const launches = [three, four].map((zone) => ({
    ...sampleLaunch,
    templateId: '',
    version: null,
    zone,
  }));
  const stock = ofStock({ sells: false }, { launches });

  expect(blockedSinceAfter({}, judgeTargets(place, [stock])[0]!, 100)).toEqual({
    [`S5.LARGE8 postpaid ${three} stock`]: 100,
  });
  expect(
    judge([{ ...stock, blockedSince: { [`S5.LARGE8 postpaid ${three} stock`]: 100 } }]).map(
      ({ sinceMs }) => sinceMs,
    ),
  ).toEqual([100, null]);
});
