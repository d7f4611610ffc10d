/** The judgement of a launch: a row for each sentence of docs/launches.md. */
import { expect, test } from 'vitest';
import {
  judgeLaunch,
  type LaunchPlace,
  type SeenQuota,
} from '../../../../src/model/launches/judge-launch.ts';
import {
  chargeTypes,
  type ChargeType,
  type Launch,
  type Stock,
  type StockRow,
} from '../../../../src/model/launches/launch.ts';
import type { Quota } from '../../../../src/model/quota.ts';

const [three, four] = ['ap-x-3', 'ap-x-4'] as const;
const nowMs = Date.UTC(2026, 1, 3);

/** S5.LARGE8, postpaid, in zone 3 and a subnet there. */
const launch: Launch = {
  templateId: 'lt-1',
  templateName: '',
  version: 1,
  zone: three,
  isZoneNamed: true,
  instanceType: 'S5.LARGE8',
  chargeType: 'postpaid',
  subnets: ['subnet-a'],
  count: 1,
};

const quota = (type: string, remaining: number | null, more: Partial<Quota> = {}): Quota => ({
  type,
  zone: three,
  unit: 'instances',
  used: remaining === null ? null : 100 - remaining,
  remaining,
  limit: 100,
  ...more,
});
const addresses = (id: string, free: number | null, zone: string = three) =>
  quota('subnet_addresses', free, { zone, labels: { subnet_id: id } });
const row = (chargeType: ChargeType, more: Partial<StockRow> = {}): StockRow => ({
  zone: three,
  instanceType: 'S5.LARGE8',
  chargeType,
  sells: true,
  level: 3,
  cpu: 2,
  ...more,
});
const inThree = { zone: three as string, isPresent: true };
const offered = {
  ...row('postpaid'),
  state: 'normal',
  wasOffered: true,
  changedAtMs: nowMs - 60_000,
};

const stepMs = 900_000;

interface Given extends Partial<Pick<Stock, 'asked' | 'isWhole' | 'histories'>> {
  readonly launch?: Partial<Launch>;
  /** What remains of the quota of its charge type. Defaults to 40. */
  readonly left?: number;
  readonly quotas?: readonly Quota[];
  readonly asksQuota?: LaunchPlace['asksQuota'];
  /** Of its charge type, and by default of its zone. `null`: the stock is not read. */
  readonly rows?: readonly Partial<StockRow>[] | null;
  /** Free addresses of subnet-a. `null`: not read. */
  readonly free?: number | null;
  readonly subnets?: LaunchPlace['subnets'];
  readonly trend?: NonNullable<SeenQuota['seen']['trend']>;
}

const read = new Map([['subnet-a', inThree]]);

function judge(given: Given) {
  const { left = 40, rows = [{}], free = 12, asksQuota = () => true, trend, ...stock } = given;
  const chargeType = given.launch?.chargeType ?? 'postpaid';
  const { quotas = [quota(chargeType, left)], subnets = free === null ? new Map() : read } = given;
  const judged = judgeLaunch(
    { ...launch, ...given.launch },
    {
      account: 'a',
      region: 'ap-x',
      stock: rows && {
        asked: chargeTypes.map((each) => ({ instanceType: 'S5.LARGE8', chargeType: each })),
        isWhole: true,
        histories: [],
        ...stock,
        rows: rows.map((more) => row(chargeType, more)),
      },
      subnets,
      asksQuota,
      quotas: [...quotas, addresses('subnet-a', free ?? 0)].map((each) => ({
        quota: each,
        seen: { freshness: { lastSuccessAtMs: nowMs }, trend },
        staleAfterMs: 2 * stepMs,
      })),
    },
  );
  const { headroom, judgedZone, parts, zone } = judged;
  const reasons = parts.flatMap(({ reason, severity }) =>
    reason === null ? [] : `${reason} ${severity}`,
  );
  const unknown = parts.filter(({ isKnown }) => !isKnown).map(({ part }) => part);
  const known = parts.filter(({ isKnown }) => isKnown).map(({ part }) => part);
  const [subnet = null] = parts.flatMap((part) => part.subnet ?? []);
  return { ...judged, headroom, zone, judgedZone, reasons, unknown, known, subnet };
}

const none = { subnets: [] };
const spot = { chargeType: 'spotpaid', ...none } as const;
const prepaid = { chargeType: 'prepaid', ...none } as const;
const unnamed = { zone: '', isZoneNamed: false };
const anywhere = { ...unnamed, ...none };
const inBoth = [quota('postpaid', 5), quota('postpaid', 7, { zone: four })];
const never = () => false;
const other = { instanceType: 'S6.LARGE8' };
const both = { subnets: ['subnet-a', 'subnet-b'] };
const absent = { zone: null, isPresent: true };
const [ofA, ofB] = ['subnet-a', 'subnet-b'] as const;
/** With 30 addresses in subnet-b. */
const quotasWithB = [quota('postpaid', 40), addresses('subnet-b', 30)];

test.each<[sentence: string, given: Given, expected: Partial<ReturnType<typeof judge>>]>([
  // Headroom.
  [
    'the headroom is the least of the parts',
    {},
    { headroom: 12, reasons: [], known: ['quota', 'stock', 'subnet'], subnet: 'subnet-a' },
  ],
  ['the quota binds', { left: 3 }, { headroom: 3, reasons: [] }],
  [
    'one known part that holds 0 makes the headroom 0, whatever is unknown',
    { rows: null, free: 0 },
    { headroom: 0, unknown: ['stock'], reasons: ['subnet critical'] },
  ],
  [
    'the headroom is absent while a part is unknown',
    { rows: null },
    { headroom: null, unknown: ['stock'], reasons: [] },
  ],
  [
    'the headroom is absent when no part gives a number',
    { launch: none, asksQuota: never },
    { headroom: null, unknown: [], reasons: [] },
  ],
  // Quota.
  ['an overdrawn quota holds 0', { left: -5 }, { headroom: 0 }],
  [
    'a spot quota counts vCPUs of the type',
    { launch: spot, left: 21 },
    { headroom: 10, reasons: [] },
  ],
  [
    'fewer vCPUs than one instance needs hold none',
    { launch: spot, left: 1 },
    { headroom: 0, reasons: ['quota critical'] },
  ],
  [
    'a spot quota of a type with unknown vCPUs is unknown',
    { launch: spot, left: 21, rows: [{ cpu: null }, { ...other, cpu: 3 }] },
    { headroom: null, unknown: ['quota'] },
  ],
  [
    'the vCPUs of a type are the same in each zone',
    { launch: spot, left: 21, rows: [{ cpu: null }, { zone: four, cpu: 4 }] },
    { headroom: 5 },
  ],
  [
    'an empty spot quota holds none, whatever the type takes',
    { launch: spot, left: 0, rows: null },
    { headroom: 0, reasons: ['quota critical'], unknown: ['stock'] },
  ],
  [
    'prepaid also blocks when one purchase may not take so many',
    { launch: { ...prepaid, count: 4 }, quotas: [quota('prepaid', 50, { onceLimit: 3 })] },
    { headroom: 50, reasons: ['quota critical'] },
  ],
  [
    'as many as one purchase may take are fine',
    { launch: { ...prepaid, count: 3 }, quotas: [quota('prepaid', 50, { onceLimit: 3 })] },
    { headroom: 50, reasons: [] },
  ],
  [
    'a purchase is not too large for an unknown quota',
    { launch: { ...prepaid, count: 4 }, quotas: [quota('prepaid', null, { onceLimit: 3 })] },
    { unknown: ['quota'], reasons: [] },
  ],
  ['a quota that the answer lacks is unknown', { quotas: [] }, { unknown: ['quota'] }],
  [
    'a quota of another zone says nothing',
    { quotas: [quota('postpaid', 40, { zone: four })] },
    { unknown: ['quota'] },
  ],
  [
    'a quota that is not asked for sets no bound',
    { quotas: [], asksQuota: never },
    { headroom: 12, unknown: [] },
  ],
  // Stock.
  [
    'what is sold out holds 0',
    { rows: [{ ...other }, { zone: four }, { sells: false, level: 0 }] },
    {
      headroom: 0,
      reasons: ['sold-out critical'],
      soldIn: [four],
      stock: row('postpaid', { sells: false, level: 0 }),
    },
  ],
  [
    'sold-out spot is a warning',
    { launch: spot, rows: [{ sells: false }] },
    { headroom: 0, reasons: ['sold-out warning'] },
  ],
  [
    'what is not offered in a named zone is critical',
    { rows: [{ zone: four }] },
    { headroom: 0, reasons: ['not-offered critical'], stock: null },
  ],
  [
    'what was never offered in a zone that nothing names is a warning',
    { launch: { isZoneNamed: false }, rows: [] },
    { headroom: 0, reasons: ['not-offered warning'] },
  ],
  [
    'what was offered earlier is critical',
    { launch: { isZoneNamed: false }, rows: [], histories: [offered] },
    { headroom: 0, reasons: ['not-offered critical'] },
  ],
  [
    'an unknown status is unknown',
    { rows: [{ sells: null }] },
    { headroom: null, unknown: ['stock'] },
  ],
  [
    'a type that was not asked for yet is unknown',
    { rows: [], asked: [] },
    { unknown: ['stock'], reasons: [] },
  ],
  [
    'a type in no row is unknown while a row cannot be read',
    { rows: [], isWhole: false },
    { unknown: ['stock'], reasons: [] },
  ],
  // Subnet.
  [
    'a part blocks when it holds fewer than the version starts',
    { launch: { count: 13 } },
    { headroom: 12, reasons: ['subnet critical'] },
  ],
  ['as many as it starts are enough', { launch: { count: 12 } }, { headroom: 12, reasons: [] }],
  [
    'a subnet in another zone holds 0',
    { launch: { zone: four }, quotas: [quota('postpaid', 9, { zone: four })] },
    { headroom: 0, reasons: ['not-offered critical', 'subnet critical'] },
  ],
  [
    'a subnet that a complete answer does not name holds 0',
    { subnets: new Map([[ofA, absent]]) },
    { headroom: 0, reasons: ['subnet critical'] },
  ],
  ['a subnet that is not read yet is unknown', { free: null }, { unknown: ['subnet'] }],
  ['without a subnet there is no such bound', { launch: none }, { headroom: 40, unknown: [] }],
  // Several at once.
  [
    'several reasons may hold at once',
    { left: 0, free: 0, rows: [{ sells: false }] },
    { reasons: ['quota critical', 'sold-out critical', 'subnet critical'] },
  ],
  // Zones.
  [
    'without a zone of its own, the zone of the subnet counts',
    { launch: unnamed },
    { zone: three, judgedZone: three, headroom: 12 },
  ],
  [
    'while its subnet is unknown, so is the zone',
    { launch: unnamed, free: null },
    { zone: null, judgedZone: '', unknown: ['quota', 'stock', 'subnet'] },
  ],
  [
    'a subnet that fails keeps its zone, so that quota and stock go on blocking',
    {
      launch: unnamed,
      left: 0,
      subnets: new Map([['subnet-a', { ...inThree, isPresent: false }]]),
    },
    { zone: three, headroom: 0, unknown: ['subnet'], reasons: ['quota critical'] },
  ],
  [
    'an earlier answer that lacked the subnet says nothing of the present',
    { launch: unnamed, subnets: new Map([['subnet-a', { zone: null, isPresent: false }]]) },
    { zone: null, headroom: null, unknown: ['quota', 'stock', 'subnet'], reasons: [] },
  ],
  [
    'without both, the best zone counts, and the zone stays empty',
    { launch: anywhere, quotas: inBoth, rows: [{}, { zone: four }] },
    { zone: '', judgedZone: four, headroom: 7 },
  ],
  [
    'one of several zones that are as good is the first',
    { launch: anywhere, quotas: inBoth, rows: null },
    { zone: '', judgedZone: three, unknown: ['stock'], soldIn: [] },
  ],
  [
    'the better zone may be the first',
    { launch: anywhere, quotas: inBoth, rows: [{ zone: four }, {}] },
    { judgedZone: four, headroom: 7 },
  ],
  [
    'a zone that is unknown is better than one that blocks',
    { launch: { ...anywhere, count: 6 }, quotas: inBoth, rows: [{}, { zone: four, sells: null }] },
    { judgedZone: four, reasons: [], unknown: ['stock'] },
  ],
  [
    'a zone that is known is better than one that is not',
    {
      launch: anywhere,
      quotas: inBoth,
      rows: [{ zone: four, sells: null }, {}],
      asksQuota: (_type, zone) => zone === four,
    },
    { judgedZone: three, headroom: null, unknown: [] },
  ],
  [
    'a zone that sold the type counts, and one that sells another does not',
    {
      launch: anywhere,
      rows: [{ ...other, zone: four }],
      histories: [offered],
      quotas: [],
      asksQuota: never,
    },
    { judgedZone: three, reasons: ['not-offered critical'] },
  ],
  [
    'a zone that sells is better than one with more quota',
    { launch: anywhere, quotas: inBoth, rows: [{}, { zone: four, sells: false }] },
    { judgedZone: three, headroom: 5, reasons: [] },
  ],
  [
    'a zone whose quota is read is better than one that nothing bounds',
    {
      launch: anywhere,
      left: 1,
      rows: [{ zone: four }, {}],
      asksQuota: (_type, zone) => zone === three,
    },
    { judgedZone: three, headroom: 1 },
  ],
  [
    'a type that no zone offers is not offered anywhere',
    {
      launch: anywhere,
      rows: [],
      quotas: [quota('prepaid', 9, { zone: four }), quota('postpaid', 9)],
    },
    { zone: '', judgedZone: three, headroom: 0, reasons: ['not-offered warning'] },
  ],
  [
    'a type that no zone offers is known not to be offered where no quota is asked for',
    { launch: anywhere, quotas: [], rows: [], asksQuota: never },
    { judgedZone: '', headroom: 0, reasons: ['not-offered warning'], unknown: [] },
  ],
  [
    'a subnet that a complete answer does not name is in no zone',
    { launch: unnamed, rows: null, quotas: [], subnets: new Map([[ofA, absent]]) },
    { zone: '', judgedZone: '', reasons: ['subnet critical'] },
  ],
  [
    'subnets in several zones name none, and each of them counts',
    {
      launch: { ...unnamed, ...both },
      rows: null,
      quotas: [addresses('subnet-b', 30)],
      subnets: new Map([
        [ofA, inThree],
        [ofB, { ...inThree, zone: four }],
      ]),
    },
    { zone: '', judgedZone: '', reasons: [], known: ['subnet'] },
  ],
  // Unreadable is not none.
  ['an unreadable subnet is unknown', { launch: { subnets: null } }, { unknown: ['subnet'] }],
  [
    'an unreadable subnet names no zone',
    { launch: { ...unnamed, subnets: null } },
    { zone: '', judgedZone: three, unknown: ['subnet'] },
  ],
  [
    'an unreadable charge type makes quota and stock unknown',
    { launch: { chargeType: null }, asksQuota: never },
    { unknown: ['quota', 'stock'], headroom: null },
  ],
  [
    'an unreadable type has unknown stock',
    { launch: { instanceType: null } },
    { unknown: ['stock'] },
  ],
  [
    'an unreadable zone makes quota and stock unknown',
    { launch: { zone: null } },
    { zone: null, unknown: ['quota', 'stock'] },
  ],
  [
    'an unreadable count is at least 1',
    { launch: { count: null }, free: 0 },
    { headroom: 0, unknown: ['quota'], reasons: ['subnet critical'] },
  ],
  // Several subnets of the configuration.
  [
    'of several subnets in a zone, the one with the most room counts',
    {
      launch: both,
      quotas: quotasWithB,
      subnets: new Map([
        [ofA, inThree],
        [ofB, inThree],
      ]),
    },
    { headroom: 30, reasons: [] },
  ],
  ['one with enough room is enough', { launch: both, quotas: quotasWithB }, { headroom: 12 }],
  [
    'another one may have the room that the known one lacks',
    { launch: { ...both, count: 13 }, quotas: quotasWithB },
    { headroom: null, reasons: [], unknown: ['subnet'] },
  ],
])('a launch is judged: %s', (_sentence, given, expected) => {
  expect(judge(given)).toMatchObject(expected);
});

/** The use of a quota in the last steps. It ends one step before now. */
const trendOf = (type: string, ...use: (number | null)[]) => ({
  stepMs,
  times: use.map((_, i) => nowMs - (use.length - i) * stepMs),
  quotas: [{ type, zone: three, use }],
});
const short = trendOf('postpaid', 90, 95, 96, 99);
/** With steps without a poll before the last point. */
const shortAfter = (steps: number) => ({
  ...short,
  times: short.times.map((atMs, i) => (i < 3 ? atMs - steps * stepMs : atMs)),
});

test.each<[sentence: string, given: Given, times: readonly (number | null)[]]>([
  ['its stock changed', { rows: [{ sells: false }], histories: [offered] }, [null, nowMs - 60_000]],
  [
    'its quota is too short for it',
    { launch: { ...none, count: 5 }, left: 1, trend: short },
    [nowMs - 2 * stepMs, null],
  ],
  [
    'a spot quota is too short for its vCPUs',
    { launch: { ...spot, count: 2 }, left: 0, trend: trendOf('spotpaid', 95, 96, 97, null, 97) },
    [nowMs - stepMs, null],
  ],
  [
    'the use is known again, if it was not, also if the limit never was enough',
    { launch: { ...none, count: 101 }, left: 1, trend: trendOf('postpaid', null, null, 99) },
    [nowMs - stepMs, null],
  ],
  [
    'the end of an outage',
    { launch: { ...none, count: 5 }, left: 1, trend: shortAfter(2) },
    [nowMs - stepMs, null],
  ],
  [
    'a poll long ago, if polls are rare',
    { launch: { ...none, count: 5 }, left: 1, trend: shortAfter(1) },
    [nowMs - 3 * stepMs, null],
  ],
  [
    'an unknown time, if the use is unknown',
    { launch: none, quotas: [quota('postpaid', 0, { used: null })] },
    [null, null],
  ],
])('a launch is blocked since %s', (_sentence, given, times) => {
  expect(
    judge(given)
      .parts.slice(0, 2)
      .map(({ sinceMs }) => sinceMs),
  ).toEqual(times);
});
