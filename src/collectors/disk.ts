/** The kind for the cloud disks that launches of a region need: DescribeDiskConfigQuota of cbs. */
import { z } from 'zod';
import type { Parameter } from '../api/request.ts';
import { readFields, type ServiceResponse } from '../api/response.ts';
import { lackingAfter, lackingSchema } from '../model/inventory.ts';
import {
  diskKey,
  diskOfferSchema,
  diskOffersOf,
  diskRowSchema,
  type DiskOffer,
  type DiskRow,
} from '../model/launches/launch.ts';
import { snapshotGauge } from '../model/metric-family.ts';
import { snapshotSchema, type Anomaly } from '../model/poll-outcome.ts';
import { recordSchema } from '../model/record.ts';
import { text, type Stored } from '../model/stored.ts';
import { defineCollector, cbs } from './collector.ts';
import { zoneName, type launchConfiguration } from './keys.ts';
import { neededByLaunches } from './launch-needs.ts';
import { serviceChargeTypes } from './launch-settings.ts';
import { expectZonesOf, hasCode, lenient, listOf, printableText, sortedBy } from './rows.ts';

const operation = 'DescribeDiskConfigQuota';

/** A disk that launches need, and the zone where they start. Empty for any zone. */
const needSchema = diskOfferSchema.extend({ zone: text });
type Need = Stored<typeof needSchema>;

const stored = recordSchema(operation, {
  target: { needs: z.array(needSchema) },
  durable: {
    /** By {@link diskKey}, with the empty zone for each zone for which no answer had a row. */
    lacking: lackingSchema.default([]),
  },
  snapshot: snapshotSchema({
    /** `false`: a row that a launch may need cannot be told, so absence proves nothing. */
    isWhole: z.boolean(),
    rows: z.array(diskRowSchema),
  }),
});
type DiskRecord = Stored<typeof stored>;

/** Identifies a needed disk, or a row. */
const keyOf = (disk: Need) => diskKey(disk, disk.zone);

/** What tells a disk apart, in the words of the service. */
const namesOf = ({ chargeType, family, type, usage }: DiskOffer): readonly (string | null)[] => [
  ...[family, type, usage, serviceChargeTypes[chargeType]],
];

const rowSchema = z
  .object({
    Available: lenient(z.boolean()),
    Zone: lenient(zoneName),
    InstanceFamily: lenient(printableText),
    DiskType: lenient(printableText),
    DiskUsage: lenient(printableText),
    DiskChargeType: lenient(printableText),
  })
  .transform(({ Available, Zone, InstanceFamily, DiskType, DiskUsage, DiskChargeType }) => ({
    isAvailable: Available,
    zone: Zone,
    names: [InstanceFamily, DiskType, DiskUsage, DiskChargeType],
  }));
type GivenRow = z.output<typeof rowSchema>;
const unreadable: GivenRow = { isAvailable: null, zone: null, names: [null, null, null, null] };
const answerSchema = z.object({ DiskConfigSet: z.array(rowSchema.catch(unreadable)) });

/** The rows of one answer. @throws CodedError `InvalidResponse` also when a row is about another region */
function rowsIn(response: ServiceResponse, region: string): readonly GivenRow[] {
  const { DiskConfigSet: rows } = readFields(response, answerSchema);
  const zones = rows.flatMap(({ zone }) => zone ?? []);
  expectZonesOf(region, zones, response.requestId);
  return rows;
}

/** Whether a row may be that of a needed disk: what cannot be read may be anything. */
function mayBe({ names, zone }: GivenRow, need: Need): boolean {
  const isSame = namesOf(need).every((name, i) => (names[i] ?? name) === name);
  return isSame && (need.zone === '' || zone === null || zone === need.zone);
}

/**
 * The rows that launches need. The others are dropped. A disk with several rows is available if one of them is.
 *
 * @param all the rows of all answers, which anomalies number through
 */
function readNeeded(all: readonly GivenRow[], needs: readonly Need[]) {
  const anomalies: Anomaly[] = [];
  const rows = new Map<string, DiskRow>();
  const refuse = (i: number, what: string) => {
    anomalies.push({ kind: 'invalid-row', detail: `DiskConfigSet[${i}]: ${what} cannot be read` });
  };
  let isWhole = true;
  for (const [i, given] of all.entries()) {
    const { isAvailable, names, zone } = given;
    const need = needs.find((each) => mayBe(given, each));
    if (need === undefined) continue;
    if (zone === null || names.includes(null)) {
      isWhole = false;
      refuse(i, 'which disk it is');
      continue;
    }
    if (isAvailable === null) refuse(i, 'whether it is available');
    const row = { ...need, zone, isAvailable };
    const other = rows.get(keyOf(row))?.isAvailable ?? isAvailable;
    rows.set(keyOf(row), { ...row, isAvailable: isAvailable === false ? other : isAvailable });
  }
  return { snapshot: { isWhole, rows: [...rows.values()], missing: [] }, anomalies };
}

const typesIn = ({ needs }: DiskRecord['target']) => needs.map(({ type }) => type);

const labelsOf = ({ chargeType, family, type, usage, zone }: DiskRow) => ({
  zone,
  instance_family: family,
  disk_type: type,
  disk_usage: usage,
  charge_type: chargeType,
});

export const diskCollector = defineCollector<DiskRecord, typeof launchConfiguration>({
  ...neededByLaunches(typesIn, (place, launches) => {
    const needs = launches.flatMap((launch) =>
      (diskOffersOf(launch) ?? []).map((offer) => ({ ...offer, zone: launch.zone ?? '' })),
    );
    return { ...place, operation, needs: sortedBy(needs, keyOf) };
  }),
  kind: 'disk',
  operation,
  service: cbs,
  noun: 'disks',
  poll: async (ask, target) => {
    const { needs, region } = target;
    const families = needs.map(({ family }) => family);
    const types = typesIn(target);
    const lists = [
      ...listOf('InstanceFamilies', new Set(families)),
      ...listOf('DiskTypes', new Set(types)),
    ];
    const rows: GivenRow[] = [];
    for (const chargeType of new Set(needs.map((need) => serviceChargeTypes[need.chargeType]))) {
      const rowsOf = (more: readonly Parameter[]) =>
        ask(
          [['InquiryType', 'INQUIRY_CVM_CONFIG'], ['DiskChargeType', chargeType], ...more],
          (response) => rowsIn(response, region),
        );
      try {
        rows.push(...(await rowsOf(lists)));
      } catch (error) {
        // A type or family that the service does not know must not cost the others.
        if (!hasCode(error, ['InvalidParameterValue'])) throw error;
        rows.push(...(await rowsOf([])));
      }
    }
    return readNeeded(rows, needs);
  },
  compare: ({ durable, observed, target: { needs } }, { isWhole, rows }) => {
    const named = new Set(rows.map(keyOf));
    const anywhere = needs.flatMap((need) => (need.zone === '' ? keyOf(need) : []));
    // In each zone that an answer had a row for, and that no launch names.
    const before = [
      ...(observed.snapshot?.rows ?? []).map(keyOf),
      ...durable.lacking.map(({ id }) => id),
    ];
    const elsewhere = before.filter((id) => anywhere.includes(id.slice(id.indexOf(' '))));
    const ids = [...new Set([...needs.map(keyOf), ...elsewhere])];
    const lacking = lackingAfter(durable.lacking, ids, (id) =>
      named.has(id) ? 'named' : isWhole ? 'lacking' : 'possible',
    );
    return { durable: { lacking } };
  },
  stored,
  families: [
    snapshotGauge(
      'cvm_disk_available',
      'Whether a zone has a cloud disk that launches need for instances of the family: Available of DescribeDiskConfigQuota, 1 or 0. Absent where it is not offered, or Available is unknown.',
      ({ rows }) =>
        rows.map((row) => ({
          labels: labelsOf(row),
          value: row.isAvailable === null ? null : Number(row.isAvailable),
        })),
      ['zone', 'instance_family', 'disk_type', 'disk_usage', 'charge_type'],
    ),
  ],
  launchFacts: ({ durable: { lacking }, observed: { snapshot } }) => ({
    disks: snapshot && { ...snapshot, lacking },
  }),
});
