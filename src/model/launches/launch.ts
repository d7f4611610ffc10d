/**
 * A launch, and what records say about launches: stock, disks, subnets, scaling groups. Collectors fill these types, and
 * `judge-*.ts` reads them. The schemas are of parts of stored records.
 */
import { z } from 'zod';
import type { Lacking } from '../inventory.ts';
import { count, text, type Stored } from '../stored.ts';

export const chargeTypes = ['postpaid', 'prepaid', 'spotpaid'] as const;
export type ChargeType = (typeof chargeTypes)[number];

/** A cloud disk that each instance of a launch gets. */
export const launchDiskSchema = z.object({
  /** DiskType, such as `CLOUD_PREMIUM`. */
  type: text,
  /** DiskUsage: what instances use it as. */
  usage: z.enum(['SYSTEM_DISK', 'DATA_DISK']),
});
export type LaunchDisk = Stored<typeof launchDiskSchema>;

/** What a launch template, an instance type of the configuration, or a scaling group would start. `null`: unknown. */
export interface Launch {
  /** Empty for a launch without a template. */
  readonly templateId: string;
  /** The ID of the scaling group. Empty for a launch without one. */
  readonly groupId: string;
  /** Empty while it is unknown. */
  readonly templateName: string;
  /** `null` for a launch without a template. */
  readonly version: number | null;
  /** Empty if nothing names a zone. `null` if it cannot be read. */
  readonly zone: string | null;
  /** Whether template or configuration name the zone, and not only earlier answers. */
  readonly isZoneNamed: boolean;
  readonly instanceType: string | null;
  readonly chargeType: ChargeType | null;
  /** The IDs. A launch needs addresses in one of them. Empty if it names none. */
  readonly subnets: readonly string[] | null;
  /** `true`: a subnet bounds the launch in the zone of the subnet only. `false`: the launch cannot start in another zone. */
  readonly subnetsBindOwnZonesOnly: boolean;
  /** The instances of one launch. */
  readonly count: number | null;
  /** The IPv6 addresses of each instance. */
  readonly ipv6Count: number | null;
  /** The cloud disks whose types are set. The service picks the others, or they are local. */
  readonly disks: readonly LaunchDisk[] | null;
  /** The IDs. Each has to take the instances. */
  readonly placementGroups: readonly string[] | null;
  /** `false` while the list of templates shows another default version, or does not show the template. */
  readonly isVersionKnown: boolean;
}

/** The fields that name a launch, for one without a template or a scaling group. */
export const ofNoTemplate = {
  templateId: '',
  groupId: '',
  templateName: '',
  version: null,
  isVersionKnown: true,
};

/** A launch without a template or a scaling group: one instance, without disks, IPv6 addresses or a placement group. */
export const plainLaunch = {
  ...ofNoTemplate,
  isZoneNamed: true,
  subnetsBindOwnZonesOnly: false,
  count: 1,
  ipv6Count: 0,
  disks: [],
  placementGroups: [],
} as const satisfies Partial<Launch>;

/** A launch that cannot be judged. */
export interface UnjudgedLaunch extends Pick<Launch, 'templateId' | 'templateName' | 'version'> {
  /** Why, for people. */
  readonly unjudged: string;
}

const nullableText = text.nullable();

/** A scaling group. A field is `null` while it is unknown: unreadable, or absent without a default in docs/service.md. */
export const scalingGroupSchema = z.object({
  id: text,
  /** Whether the last answer lacked it, and none before: nothing else is known then. */
  isLacking: z.boolean().optional(),
  /** Empty without a readable one. */
  name: text,
  /** AutoScalingGroupStatus. */
  status: nullableText,
  isEnabled: z.boolean().nullable(),
  minSize: count.nullable(),
  maxSize: count.nullable(),
  desiredCapacity: count.nullable(),
  /** Its members, also those that start or end now. */
  instances: count.nullable(),
  configurationId: nullableText,
  /** The IDs. Empty without a VPC. */
  subnets: z.array(text).nullable(),
  /** The zones in which it starts instances. They count only without a VPC. */
  zones: z.array(text).nullable(),
  /** How it mixes on-demand and spot instances. Absent: it does not. `null`: it is unknown whether it does. */
  mixed: z
    .object({
      /** Whether on-demand instances take the place of spot instances that cannot be had. */
      isCompensated: z.boolean().nullable(),
      /** How many instances are on-demand before the percentage counts. */
      base: count.nullable(),
      /** The on-demand instances above the base. */
      percentage: count.max(100).nullable(),
    })
    .nullish(),
});
export type ScalingGroup = Stored<typeof scalingGroupSchema>;

/** What a scaling group starts. A field is `null` while it is unknown. */
export const launchConfigurationSchema = z.object({
  id: text,
  /** LaunchConfigurationStatus. */
  status: nullableText,
  /** In the order in which they are tried. */
  instanceTypes: z.array(text).nullable(),
  chargeType: z.enum(chargeTypes).nullable(),
  /** Why its launches cannot be judged, for people. `null` if they can. */
  unjudged: nullableText,
  disks: z.array(launchDiskSchema).nullable(),
  placementGroups: z.array(text).nullable(),
});
export type LaunchConfiguration = Stored<typeof launchConfigurationSchema>;

/** An instance type, and how it is paid: what a zone sells or does not. */
export const offerSchema = z.object({ instanceType: text, chargeType: z.enum(chargeTypes) });
export type Offer = Stored<typeof offerSchema>;

/** A row of the last answer about stock: an offer in a zone. */
export const stockRowSchema = offerSchema.extend({
  zone: text,
  /** `null` if it is unknown. */
  sells: z.boolean().nullable(),
  /** 0 (none) to 3 (enough). `null` if it is unknown. */
  level: z.int().min(0).max(3).nullable(),
  /** vCPUs. */
  cpu: count.nullable(),
});
export type StockRow = Stored<typeof stockRowSchema>;

/** What a record remembers of an offer in a zone. */
export const stockHistorySchema = offerSchema.extend({
  /** For an offer that a launch needs in any zone also empty, for the whole region, and {@link otherZones}. */
  zone: text,
  /** The last known state, such as `sold out`. `null` before it was known. */
  state: text.nullable(),
  /** Whether an answer ever offered it. */
  wasOffered: z.boolean(),
  /** How many whole answers in a row lacked it, at most as many as make it absent. */
  lackedPolls: count,
});
export type StockHistory = Stored<typeof stockHistorySchema>;

/** The zone of a {@link StockHistory} that stands for each zone for which no answer had a row of the offer. */
export const otherZones = '*';

/** A type in a zone with its size, which a check offers in place of one that cannot be had. */
export const sizedTypeSchema = stockRowSchema.extend({
  cpu: count,
  /** GB. */
  memory: count,
  gpus: count,
  family: text,
  /** TypeName without the family, such as `Standard`. */
  class: text,
});
export type SizedType = Stored<typeof sizedTypeSchema>;

/** What an answer says about the stock of a region. */
export const stockFields = {
  /** All types of the families that a check asks about. Absent in the daemon. */
  sizes: z.array(sizedTypeSchema).optional(),
  /** The offers that the poll asked for. */
  asked: z.array(offerSchema),
  /** `false`: a row's type or zone was unreadable, so absence proves nothing. */
  isWhole: z.boolean(),
  rows: z.array(stockRowSchema),
};

/** The stock of a region: the last answer, and what the record remembers. */
export interface Stock extends Stored<z.ZodObject<typeof stockFields>> {
  readonly histories: readonly StockHistory[];
}

/** Whether instance type and charge type are the same. The zone does not count. */
export function isSameOffer(one: Pick<Launch, keyof Offer>, other: Offer): boolean {
  return one.instanceType === other.instanceType && one.chargeType === other.chargeType;
}

/** A subnet or a placement group of a region. */
export interface Resource {
  readonly id: string;
  /** Whether two whole answers in a row lacked it, or refused its ID. */
  readonly isGone: boolean;
  /** `false` if the last answer lacked it, but not two in a row, and if its row cannot be read. */
  readonly isKnown: boolean;
  /** The last known zone. A subnet never leaves it. `null` for a subnet that was never read, and a placement group. */
  readonly zone: string | null;
  /** Of a subnet. Absent while it is unknown. */
  readonly vpc?: string;
  /** Whether a subnet has an IPv6 block. `null` if that is unknown. */
  readonly hasIpv6: boolean | null;
}

/** A cloud disk as zones offer it: for the instances of a family, and paid so. */
export const diskOfferSchema = launchDiskSchema.extend({
  /** InstanceFamily, such as `S5`. */
  family: text,
  chargeType: z.enum(['postpaid', 'prepaid']),
});
export type DiskOffer = Stored<typeof diskOfferSchema>;

/** A row of the last answer about disks. */
const diskRowSchema = diskOfferSchema.extend({
  zone: text,
  /** `null` if it is unknown. */
  isAvailable: z.boolean().nullable(),
});
export type DiskRow = Stored<typeof diskRowSchema>;

/** What an answer says about the disks that launches need. */
export const diskFields = {
  /** `false`: a row that a launch may need cannot be told, so absence proves nothing. */
  isWhole: z.boolean(),
  rows: z.array(diskRowSchema),
};

/** The last answer about disks, and which of them answers lack. */
export interface DiskStock extends Stored<z.ZodObject<typeof diskFields>> {
  /** By {@link diskKey}. That of the empty zone is of each zone for which no answer had a row. */
  readonly lacking: Lacking;
}

/** Identifies the disk of a zone. */
export function diskKey({ chargeType, family, type, usage }: DiskOffer, zone: string): string {
  return [zone, family, type, usage, chargeType].join(' ');
}

/** The disks that a launch needs, in any zone; postpaid for spot. `null` if a part of one cannot be read. */
export function diskOffersOf(
  launch: Pick<Launch, 'chargeType' | 'disks' | 'instanceType'>,
): readonly DiskOffer[] | null {
  const { disks, instanceType } = launch;
  if (disks?.length === 0) return [];
  if (disks === null || launch.chargeType === null || instanceType === null) return null;
  const [family = ''] = instanceType.split('.');
  const chargeType = launch.chargeType === 'prepaid' ? 'prepaid' : 'postpaid';
  return disks.map((disk) => ({ ...disk, family, chargeType }));
}

/**
 * What a collector reads from a record about launches. Each kind fills the fields that it knows, and the others are absent.
 * `null`: the target asks for it, but has no answer yet.
 */
export interface LaunchFacts {
  readonly launches?: readonly (Launch | UnjudgedLaunch)[];
  readonly stock?: Stock | null;
  readonly subnets?: readonly Resource[];
  readonly groups?: readonly ScalingGroup[];
  readonly configurations?: readonly LaunchConfiguration[];
  readonly disks?: DiskStock | null;
  readonly placementGroups?: readonly Resource[];
  readonly prices?: { readonly templateId: string; readonly answers: readonly PriceAnswer[] };
}

/** Whether the service priced a version of a template in a zone. */
export interface PriceAnswer {
  readonly version: number;
  readonly zone: string;
  /** The error code of a refusal. `null` for a price. */
  readonly code: string | null;
  /** The reason of the code, by `reasonOfCode()`. `null` for a price, and for a code that no part lists. */
  readonly reason: string | null;
  /** When the service last answered. `null` while nothing is known. */
  readonly atMs: number | null;
}
