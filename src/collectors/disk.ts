/**
 * The kind for the cloud disks that launches of a region need: DescribeDiskConfigQuota of cbs. It keeps the rows of needed
 * disks, and counts how many answers in a row lacked a disk in a zone.
 */
import { z } from 'zod';
import { listOf, type Parameter } from '../api/request.ts';
import { lackingAfter, lackingSchema } from '../model/inventory.ts';
import {
  diskFields,
  diskKey,
  diskOfferSchema,
  diskOffersOf,
  type DiskRow,
} from '../model/launches/launch.ts';
import { flag, snapshotGauge } from '../model/metric-family.ts';
import { snapshotSchema, type Anomaly } from '../model/poll-outcome.ts';
import { recordSchema } from '../model/record.ts';
import { text, type Stored } from '../model/stored.ts';
import { defineCollector, cbs } from './collector.ts';
import { zoneName, type LaunchKeys } from './keys.ts';
import { neededByLaunches } from './launch-needs.ts';
import { serviceChargeTypes } from './launch-settings.ts';
import { unlessRefused } from './lists.ts';
import { field, printableText, zonedRowsReader, rowOf, sortedBy } from './rows.ts';

/** A disk that launches need, and the zone where they start. The empty zone is any zone. */
const needSchema = diskOfferSchema.extend({ zone: text });
type Need = Stored<typeof needSchema>;

const stored = recordSchema({
  target: { needs: z.array(needSchema) },
  durable: {
    /**
     * How many answers in a row had no row of a disk, by {@link diskKey}. The key with the empty zone is for all zones
     * that no answer has had a row for.
     */
    lacking: lackingSchema.default([]),
  },
  snapshot: snapshotSchema(diskFields),
});
type DiskRecord = Stored<typeof stored>;

/** Identifies a needed disk or a row: its zone, then the disk. */
const keyOf = (disk: Need) => diskKey(disk, disk.zone);

const rowSchema = rowOf({
  isAvailable: field('Available', z.boolean()),
  zone: field('Zone', zoneName),
  family: field('InstanceFamily', printableText),
  type: field('DiskType', printableText),
  usage: field('DiskUsage', printableText),
  chargeType: field('DiskChargeType', printableText),
});
type GivenRow = z.output<typeof rowSchema>;
const readDisks = zonedRowsReader('DiskConfigSet', rowSchema);

/**
 * Pairs of a field of a row, `null` if it cannot be read, and the value that a needed disk has in it. A disk that is
 * needed in any zone has the zone of the row.
 */
const fieldPairs = (row: GivenRow, { chargeType, family, type, usage, zone }: Need) => [
  [row.zone, zone || row.zone],
  [row.family, family],
  [row.type, type],
  [row.usage, usage],
  [row.chargeType, serviceChargeTypes[chargeType]],
];

/**
 * The rows of needed disks. Other rows are dropped. A disk with several rows is available if one of them is, else
 * unknown if one cannot be read.
 *
 * @param allRows the rows of all answers. Anomalies number them through
 */
function readNeeded(allRows: readonly GivenRow[], needs: readonly Need[]) {
  const anomalies: Anomaly[] = [];
  const rows = new Map<string, DiskRow>();
  const reportUnreadable = (i: number, what: string) => {
    anomalies.push({ kind: 'invalid-row', detail: `DiskConfigSet[${i}]: ${what} cannot be read` });
  };
  let isWhole = true;
  for (const [i, given] of allRows.entries()) {
    // A field that cannot be read may have any value.
    const need = needs.find((each) =>
      fieldPairs(given, each).every(([value, needed]) => value === null || value === needed),
    );
    if (need === undefined) continue;
    const { isAvailable, zone } = given;
    if (zone === null || fieldPairs(given, need).some(([value]) => value === null)) {
      isWhole = false;
      reportUnreadable(i, 'which disk it is');
      continue;
    }
    if (isAvailable === null) reportUnreadable(i, 'whether it is available');
    const row = { ...need, zone, isAvailable };
    // `undefined` for the first row of a disk.
    const ofRows = [isAvailable, rows.get(keyOf(row))?.isAvailable];
    const isAnyAvailable = ofRows.includes(true) || (ofRows.includes(null) ? null : false);
    rows.set(keyOf(row), { ...row, isAvailable: isAnyAvailable });
  }
  return { snapshot: { isWhole, rows: [...rows.values()], missing: [] }, anomalies };
}

function labelsOf({ chargeType, family, type, usage, zone }: DiskRow) {
  const disk = { instance_family: family, disk_type: type, disk_usage: usage };
  return { zone, ...disk, charge_type: chargeType };
}

const typesIn = ({ needs }: DiskRecord['target']) => needs.map(({ type }) => type);

export const diskCollector = defineCollector<DiskRecord, LaunchKeys>({
  ...neededByLaunches(typesIn, (target, launches) => {
    const needs = launches.flatMap((launch) =>
      (diskOffersOf(launch) ?? []).map((offer) => ({ ...offer, zone: launch.zone ?? '' })),
    );
    return { ...target, needs: sortedBy(needs, keyOf) };
  }),
  kind: 'disk',
  operation: 'DescribeDiskConfigQuota',
  service: cbs,
  noun: 'disks',
  poll: async (ask, { target }) => {
    const { needs, region } = target;
    const lists = [
      ...listOf('InstanceFamilies', new Set(needs.map(({ family }) => family))),
      ...listOf('DiskTypes', new Set(typesIn(target))),
    ];
    const rows: GivenRow[] = [];
    for (const chargeType of new Set(needs.map((need) => serviceChargeTypes[need.chargeType]))) {
      const rowsOf = (more: readonly Parameter[]) =>
        ask(
          [['InquiryType', 'INQUIRY_CVM_CONFIG'], ['DiskChargeType', chargeType], ...more],
          (response) => readDisks(response, region),
        );
      // A type or family that the service does not know must not cost the others.
      const read = await unlessRefused(
        ['InvalidParameterValue'],
        () => rowsOf(lists),
        () => rowsOf([]),
      );
      rows.push(...read);
    }
    return readNeeded(rows, needs);
  },
  // Counts the lacking answers of each needed disk: in the zone that a launch names; for a disk that is needed in any
  // zone, in each zone that an answer ever had a row for, and in the empty zone for all others.
  compare: ({ durable, observed, target: { needs } }, { isWhole, rows }) => {
    const named = new Set(rows.map(keyOf));
    const inAnyZone = needs.flatMap((need) => (need.zone === '' ? keyOf(need) : []));
    const idsBefore = [
      ...(observed.snapshot?.rows ?? []).map(keyOf),
      ...durable.lacking.map(({ id }) => id),
    ];
    // The key of the same disk in the empty zone: a key begins with its zone and a space.
    const inEmptyZone = (id: string) => id.slice(id.indexOf(' '));
    const withRowBefore = idsBefore.filter((id) => inAnyZone.includes(inEmptyZone(id)));
    const ids = [...new Set([...needs.map(keyOf), ...withRowBefore])];
    // A zone that a launch begins to name has lacked the disk as long as the zones without a row.
    const newIds = ids.flatMap((id) => {
      const polls = durable.lacking.find((each) => each.id === inEmptyZone(id))?.polls;
      return polls === undefined || idsBefore.includes(id) ? [] : { id, polls };
    });
    const lacking = lackingAfter([...durable.lacking, ...newIds], ids, (id) =>
      named.has(id) ? 'named' : isWhole ? 'lacking' : 'possible',
    );
    return { durable: { lacking } };
  },
  stored,
  families: [
    snapshotGauge(
      'cvm_disk_available',
      'Whether a zone has a cloud disk that launches need for instances of the family: Available of DescribeDiskConfigQuota, 1 or 0. Absent where it is not offered, or Available is unknown.',
      ({ rows }) => rows.map((row) => ({ labels: labelsOf(row), value: flag(row.isAvailable) })),
      ['zone', 'instance_family', 'disk_type', 'disk_usage', 'charge_type'],
    ),
  ],
  launchFacts: ({ durable: { lacking }, observed: { snapshot } }) => ({
    disks: snapshot && { ...snapshot, lacking },
  }),
  json: ({ rows }) => ({
    disks: rows.map((row) => ({ ...labelsOf(row), available: row.isAvailable })),
  }),
});
