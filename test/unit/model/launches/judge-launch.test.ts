import { expect, test } from 'vitest';
import { english } from '../../../../src/model/texts/texts.ts';
import { judgeLaunch } from '../../../../src/model/launches/judge-launch.ts';
import {
  chargeTypes,
  diskKey,
  type ChargeType,
  type DiskOffer,
  type DiskRow,
  type Launch,
  type Stock,
  type StockHistory,
  type StockRow,
} from '../../../../src/model/launches/launch.ts';
import type { RegionFacts } from '../../../../src/model/launches/region-facts.ts';
import type { Quota } from '../../../../src/model/quota.ts';
import { sampleLaunch } from '../../../support/records.ts';
import { fixtureOf } from '../../../support/rows.ts';

const three = 'ap-x-3';

/** The system disk of the launch, if it has one. */
const disk = { type: 'CLOUD_BSSD', usage: 'SYSTEM_DISK' } as const;
const offer: DiskOffer = { ...disk, family: 'S5', chargeType: 'postpaid' };

/** In a subnet. */
const launch: Launch = { ...sampleLaunch, templateName: '', version: 1, subnets: ['subnet-a'] };

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
type Observed = NonNullable<ReturnType<RegionFacts['subnets']['get']>>;
const inThree: Observed = {
  id: 'subnet-a',
  zone: three,
  isCurrent: true,
  isGone: false,
  isKnown: true,
  hasIpv6: false,
};

interface Given extends Partial<Pick<Stock, 'asked' | 'isWhole' | 'histories'>> {
  readonly isRead?: boolean;
  readonly absent?: readonly string[];
  readonly launch?: Partial<Launch>;
  /** What remains of the quota of its charge type. Defaults to 40. */
  readonly left?: number;
  readonly quotas?: readonly Quota[];
  /** `none`, or the zone whose quotas are asked for. Absent: those of all zones are. */
  readonly asksQuota?: string;
  /** Of its charge type, and by default of its zone. `null`: the stock is not read. */
  readonly rows?: readonly Partial<StockRow>[] | null;
  /** Free addresses of subnet-a. `null`: not read. */
  readonly free?: number | null;
  readonly subnets?: RegionFacts['subnets'];
  readonly disks?: RegionFacts['disks'];
  /** The free instances of placement groups. `null`: gone. */
  readonly groups?: Readonly<Record<string, number | null>>;
  readonly unknownGroups?: readonly string[];
  /** By zone, the code of the refusal of a price and the reason that lists it. Absent: not asked; `null`: not known. */
  readonly prices?: Readonly<
    Record<string, readonly [code: string | null, reason: string | null] | null>
  >;
  readonly notPermitted?: readonly string[];
}

const read = new Map([['subnet-a', inThree]]);

/** S5.LARGE8 in a zone, which two whole answers in a row lacked. */
const lackedIn = (zone: string, chargeType: ChargeType): StockHistory => {
  const name = { instanceType: 'S5.LARGE8', chargeType, zone };
  return { ...name, state: null, wasOffered: false, lackedPolls: 2 };
};

const answersOf = (prices: NonNullable<Given['prices']>) =>
  Object.entries(prices).map(([zone, answer]) => {
    const [code, reason] = answer ?? [null, null];
    return { version: 1, zone, code, reason, atMs: answer && 0 };
  });

function judge(given: Given) {
  const { left = 40, rows = [{}], free = 12, asksQuota, ...stock } = given;
  const { groups = {}, prices, unknownGroups = [] } = given;
  const placementGroups = Object.entries(groups).map(([id, left]) => {
    const isKnown = !unknownGroups.includes(id);
    return [id, { ...inThree, id, zone: null, isGone: left === null, isKnown }] as const;
  });
  const instances = Object.entries(groups).map(([id, left]) =>
    quota('placement_group_instances', left, { labels: { placement_group_id: id }, zone: null }),
  );
  const { absent = [], histories = [], isRead = true } = given;
  const chargeType = given.launch?.chargeType ?? 'postpaid';
  const {
    disks = null,
    quotas = [quota(chargeType, left)],
    subnets = free === null ? new Map() : read,
  } = given;
  const named = { ...launch, ...given.launch };
  const asked = { ...named, isVersionKnown: isRead && named.isVersionKnown };
  const judged = judgeLaunch(asked, {
    groups: new Map(),
    configurations: new Map(),
    stock: rows && {
      asked: chargeTypes.map((each) => ({ instanceType: 'S5.LARGE8', chargeType: each })),
      isWhole: true,
      ...stock,
      histories: [...histories, ...absent.map((zone) => lackedIn(zone, chargeType))],
      rows: rows.map((more) => row(chargeType, more)),
    },
    subnets,
    disks,
    placementGroups: new Map(placementGroups),
    prices: new Map(prices === undefined ? [] : [['lt-1', answersOf(prices)]]),
    notPermitted: new Set(given.notPermitted),
    reportable: (asksQuota === 'none' ? [] : chargeTypes).map((type) => {
      return { type, zones: asksQuota === undefined ? null : [asksQuota] };
    }),
    takenBy: new Map(),
    quotas: [...quotas, ...instances, addresses('subnet-a', free ?? 0)],
  });
  const { headroom, judgedZone, parts, zone } = judged;
  const reasons = parts.flatMap(({ reason, severity }) =>
    reason === null ? [] : `${reason} ${severity}`,
  );
  const notAsked = parts.filter(({ isAsked }) => isAsked === false).map(({ part }) => part.name);
  const unknown = parts.filter(({ isKnown }) => !isKnown).map(({ part }) => part.name);
  const known = parts.filter(({ isKnown }) => isKnown).map(({ part }) => part.name);
  const group = parts.find(({ part }) => part.name === 'placement group')?.shares[0] ?? null;
  const subnet = parts.find(({ part }) => part.name === 'subnet')?.shares[0] ?? null;
  const texts = parts
    .filter(({ isKnown, part }) => isKnown && part.name === 'version')
    .map((part) => part.part.text(part, judged, String(part.roomFor), english));
  return {
    ...judged,
    texts,
    headroom,
    zone,
    judgedZone,
    reasons,
    unknown,
    known,
    subnet,
    group,
    notAsked,
  };
}

type Judged = ReturnType<typeof judge>;

/** A row of the fixture, in its words. */
interface Row {
  readonly sentence: string;
  readonly given?: Omit<Given, 'quotas' | 'histories' | 'subnets' | 'disks'> & {
    readonly quotas?: readonly (Partial<Quota> & {
      readonly subnet?: string;
      readonly remaining: number | null;
    })[];
    readonly offered?: boolean;
    readonly subnets?: Readonly<Record<string, Partial<Observed>>>;
    readonly systemDisk?: readonly Partial<DiskRow>[] | null;
    readonly lacked?: Readonly<Record<string, number>>;
    readonly isDiskAnswerWhole?: boolean;
  };
  readonly judged: Partial<Judged>;
}

function givenOf({
  quotas,
  offered,
  subnets,
  systemDisk,
  lacked = {},
  isDiskAnswerWhole = true,
  ...same
}: NonNullable<Row['given']>): Given {
  return {
    ...same,
    ...(systemDisk && {
      disks: {
        isWhole: isDiskAnswerWhole,
        rows: systemDisk.map((more) => ({ ...offer, zone: three, isAvailable: true, ...more })),
        lacking: Object.entries(lacked).map(([zone, polls]) => ({
          id: diskKey(offer, zone),
          polls,
        })),
      },
    }),
    ...(systemDisk !== undefined && { launch: { disks: [disk], ...same.launch } }),
    ...(quotas !== undefined && {
      quotas: quotas.map(({ subnet, type = '', remaining, zone, ...more }) =>
        subnet === undefined
          ? quota(type, remaining, { ...more, zone: zone ?? three })
          : addresses(subnet, remaining),
      ),
    }),
    ...(offered !== undefined && {
      histories: [
        {
          ...lackedIn(three, 'postpaid'),
          wasOffered: offered,
          lackedPolls: same.absent?.includes(three) === true ? 2 : 0,
        },
      ],
    }),
    ...(subnets !== undefined && {
      subnets: new Map(
        Object.entries(subnets).map(([id, more]) => [id, { ...inThree, id, ...more }] as const),
      ),
    }),
  };
}

const rows = fixtureOf<readonly Row[]>('launches/judgements');

test.each(rows.map((row) => [row.sentence, row] as const))(
  'a launch is judged: %s',
  (_sentence, { given = {}, judged }) => {
    expect(judge(givenOf(given))).toMatchObject(judged);
  },
);

test('a type that no answer had in the zone of the subnet is not offered there, unless it was', () => {
  const sold = [{ ...lackedIn(three, 'postpaid'), wasOffered: true, lackedPolls: 0 }];
  const given = { rows: [{ zone: 'ap-x-4' }], absent: ['*'], launch: { zone: '' } };

  expect(judge(given)).toMatchObject({ zone: three, reasons: ['not-offered critical'] });
  expect(judge({ ...given, histories: sold })).toMatchObject({ zone: three, unknown: ['stock'] });
});
