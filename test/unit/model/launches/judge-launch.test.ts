import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  judgeLaunch,
  type RegionFacts,
  type ObservedQuota,
} from '../../../../src/model/launches/judge-launch.ts';
import {
  chargeTypes,
  type ChargeType,
  type Launch,
  type Offer,
  type Stock,
  type StockRow,
} from '../../../../src/model/launches/launch.ts';
import type { Quota } from '../../../../src/model/quota.ts';

const three = 'ap-x-3';
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
  subnetsBindOwnZonesOnly: false,
  count: 1,
  ipv6Count: 0,
  isVersionKnown: true,
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
const history = {
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
  readonly asksQuota?: RegionFacts['isQuotaAsked'];
  /** Of its charge type, and by default of its zone. `null`: the stock is not read. */
  readonly rows?: readonly Partial<StockRow>[] | null;
  /** Free addresses of subnet-a. `null`: not read. */
  readonly free?: number | null;
  readonly subnets?: RegionFacts['subnets'];
  readonly trend?: NonNullable<ObservedQuota['observed']['trend']>;
}

const read = new Map([['subnet-a', inThree]]);
const offers = chargeTypes.map((chargeType) => ({ instanceType: 'S5.LARGE8', chargeType }));
const anywhere = (offer: Offer) => ({ ...offer, zone: '' });

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
        asked: offers,
        isWhole: true,
        histories: [],
        // What has no row has none in any zone, and never had.
        absent: stock.isWhole === false ? [] : (stock.asked ?? offers).map(anywhere),
        ...stock,
        rows: rows.map((more) => row(chargeType, more)),
      },
      subnets,
      isQuotaAsked: asksQuota,
      quotas: [...quotas, addresses('subnet-a', free ?? 0)].map((each) => ({
        quota: each,
        observed: { freshness: { lastSuccessAtMs: nowMs }, trend },
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

type Judged = ReturnType<typeof judge>;

/** A row of the fixture, in its words. */
interface Row {
  readonly sentence: string;
  readonly given?: Pick<Given, 'launch' | 'left' | 'rows' | 'free' | 'asked' | 'isWhole'> & {
    readonly quotas?: readonly (Partial<Quota> & {
      readonly subnet?: string;
      readonly remaining: number | null;
    })[];
    readonly asksQuota?: string;
    readonly offered?: boolean;
    readonly subnets?: Readonly<Record<string, { zone: string | null; isPresent: boolean }>>;
  };
  readonly judged: Partial<Judged>;
}

function givenOf({
  quotas,
  asksQuota,
  offered,
  subnets,
  ...same
}: NonNullable<Row['given']>): Given {
  return {
    ...same,
    ...(quotas !== undefined && {
      quotas: quotas.map(({ subnet, type = '', remaining, zone, ...more }) =>
        subnet === undefined
          ? quota(type, remaining, { ...more, zone: zone ?? three })
          : addresses(subnet, remaining),
      ),
    }),
    ...(asksQuota !== undefined && { asksQuota: (_type, zone) => zone === asksQuota }),
    ...(offered === true && { histories: [history] }),
    ...(subnets !== undefined && { subnets: new Map(Object.entries(subnets)) }),
  };
}

const file = join(import.meta.dirname, '../../../support/fixtures/launches/judgements.yaml');
const rows = parse(readFileSync(file, 'utf8')) as readonly Row[];

test.each(rows.map((row) => [row.sentence, row] as const))(
  'a launch is judged: %s',
  (_sentence, { given = {}, judged }) => {
    expect(judge(givenOf(given))).toMatchObject(judged);
  },
);

const none = { subnets: [] };
const spot = { chargeType: 'spotpaid', ...none } as const;

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
  ['its stock changed', { rows: [{ sells: false }], histories: [history] }, [null, nowMs - 60_000]],
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
