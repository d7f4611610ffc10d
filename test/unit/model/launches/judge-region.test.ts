/** The launches of a region: what their records say, their words, and what they share. */
import { expect, test } from 'vitest';
import type { Launch, StockRow, UnjudgedLaunch } from '../../../../src/model/launches/launch.ts';
import { judgeLaunches, type TargetFacts } from '../../../../src/model/launches/judge-region.ts';
import type { Quota } from '../../../../src/model/quota.ts';
import type { Thresholds } from '../../../../src/model/thresholds.ts';
import { override } from '../../../support/records.ts';

const [three, four] = ['ap-x-3', 'ap-x-4'] as const;
const place = { account: 'a', region: 'ap-x' };
const lastSuccessAtMs = 700;

/** S5.LARGE8, postpaid, in zone 3. */
const launch: Launch = {
  templateId: 'lt-1',
  templateName: 'web',
  version: 3,
  zone: three,
  isZoneNamed: true,
  instanceType: 'S5.LARGE8',
  chargeType: 'postpaid',
  subnets: [],
  subnetsBindOwnZonesOnly: false,
  count: 1,
  ipv6Count: 0,
  isVersionKnown: true,
};
const subnet = { id: 'subnet-a', zone: three, isGone: false, isKnown: true, hasIpv6: false };

const facts = (of: Partial<TargetFacts>): TargetFacts => ({
  isFresh: true,
  isUp: true,
  quotas: [],
  observed: { freshness: { lastSuccessAtMs } },
  staleAfterMs: 0,
  reportable: [],
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
  const history = { ...offer, zone: three, state: 'x', wasOffered: true, changedAtMs: 300 };
  const stock = { asked: [offer], isWhole: true, rows: [sold], histories: [history], absent: [] };
  return facts({ stock, ...more });
};
const ofTemplate = (fields: Partial<Launch> = {}, more: Partial<TargetFacts> = {}) =>
  facts({ launches: [{ ...launch, ...fields }], ...more });

const judge = (all: readonly TargetFacts[], overrides: Thresholds['overrides'] = []) =>
  judgeLaunches(place, all, { overrides });
const only = (...all: readonly TargetFacts[]) => judge(all)[0]!;
const partsOf = (parts: readonly { readonly part: string }[]) => parts.map(({ part }) => part);

test('launches are judged only where stock is watched', () => {
  expect(judge([ofTemplate(), ofQuotas({})])).toEqual([]);
  expect(judge([ofTemplate(), ofQuotas({}), ofStock()])).toHaveLength(1);
});

test('a launch that nothing blocks is bound by the part with the least room', () => {
  const row = only(ofTemplate(), ofQuotas({ remaining: 5 }), ofStock());

  expect(row).toMatchObject({ ...place, templateId: 'lt-1', unjudged: null, sharing: 0 });
  expect(row).toMatchObject({ state: 'fine', headroom: 5, blocking: [], sinceMs: null });
  expect(partsOf(row.parts)).toEqual(['quota', 'stock']);
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
  const spot = { chargeType: 'spotpaid', subnets: ['subnet-a'] } as const;
  const labels = { subnet_id: 'subnet-a' };
  const addresses = {
    ...ofQuotas({ type: 'subnet_addresses', labels, ...full }),
    subnets: [subnet],
  };

  const row = only(ofTemplate(spot), addresses, ofStock({ chargeType: 'spotpaid', sells: false }));

  expect(partsOf(row.blocking)).toEqual(['subnet', 'stock']);
  expect(row.binding).toEqual(row.blocking);
  expect(row).toMatchObject({ state: 'critical', sinceMs: 300 });
});

test('what is not up now tells neither quotas, nor subnets', () => {
  const subnets = [subnet];
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

  expect(asked(three)).toEqual(['quota', 'stock']);
  expect(asked(four)).toEqual(['stock']);
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
  ['none', ofTemplate({}, { isFresh: false }), [ofStock()]],
  ['fine', ofTemplate({ templateId: '' }, { isFresh: false }), [ofStock()]],
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
    ...{ zone: null, isZoneNamed: false, instanceType: null, chargeType: null, subnets: null },
    ...{ subnetsBindOwnZonesOnly: false, ipv6Count: null, isVersionKnown: false },
    ...{ count: null, judgedZone: '', parts: [], headroom: null, stock: null, soldIn: [] },
    ...{ state: 'none', blocking: [], binding: [], sinceMs: null, sharing: 0 },
  };

  expect(judge([facts({ launches: [unjudged] }), ofStock()])).toEqual([
    { ...place, ...unjudged, ...nothing },
  ]);
});

test('launches share the quota of a charge type in a zone, and a subnet, with other templates', () => {
  const subnets = ['subnet-a'];
  const all = [
    ofTemplate({ templateId: 'lt-1' }),
    ofTemplate({ templateId: 'lt-2' }),
    ofTemplate({ templateId: 'lt-3', zone: four }),
    ofTemplate({ templateId: 'lt-4', chargeType: 'prepaid', subnets }),
    ofTemplate({ templateId: 'lt-5', chargeType: 'spotpaid', subnets }),
    ofTemplate({ templateId: '' }),
    facts({ subnets: [subnet] }),
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
  ]);
});
