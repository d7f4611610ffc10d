/** What launches are, and what answers say about them. */
import { z } from 'zod';
import { count, text, timeMs, type Stored } from '../stored.ts';

export const chargeTypes = ['postpaid', 'prepaid', 'spotpaid'] as const;
export type ChargeType = (typeof chargeTypes)[number];

/** What would be started. `null` is unreadable; it is never taken for none. */
export interface Launch {
  /** Empty for an instance type of the configuration. */
  readonly templateId: string;
  /** Empty while it is unknown. */
  readonly templateName: string;
  /** `null` for an instance type of the configuration. */
  readonly version: number | null;
  /** Empty if nothing names a zone. */
  readonly zone: string | null;
  /** Whether template or configuration name the zone, and not only earlier answers. */
  readonly isZoneNamed: boolean;
  readonly instanceType: string | null;
  readonly chargeType: ChargeType | null;
  /** One of them is enough. Empty if none is named. */
  readonly subnets: readonly string[] | null;
  /** The instances of one launch. */
  readonly count: number | null;
}

/** A launch that is not judged, and why. */
export interface UnjudgedLaunch extends Pick<Launch, 'templateId' | 'templateName' | 'version'> {
  readonly unjudged: string;
}

/** An instance type, and how it is paid. */
export const offer = z.object({ instanceType: text, chargeType: z.enum(chargeTypes) });
export type Offer = Stored<typeof offer>;

/** An offer that a zone sells, or did. */
export const stockRow = offer.extend({
  zone: text,
  /** `null` if it is unknown. */
  sells: z.boolean().nullable(),
  /** 0 (none) to 3 (enough). `null` if it is unknown. */
  level: z.int().min(0).max(3).nullable(),
  /** vCPUs. */
  cpu: count.nullable(),
});
export type StockRow = Stored<typeof stockRow>;

/** What is remembered of an offer in a zone. */
export const stockHistory = offer.extend({
  zone: text,
  /** The last known state. */
  state: text,
  /** Whether an answer named it. */
  wasOffered: z.boolean(),
  /** When its state changed last. `null` before the first change. */
  changedAtMs: timeMs.nullable(),
});
export type StockHistory = Stored<typeof stockHistory>;

/** What an answer says about the stock of a region. */
export const stockFields = {
  /** What the answer is about. An offer that is in no row of a whole answer is not offered. */
  asked: z.array(offer),
  /** Whether every row could be read as far as what it is about. */
  isWhole: z.boolean(),
  rows: z.array(stockRow),
};

/** The stock of a region, and what is remembered of it. */
export interface Stock extends Stored<z.ZodObject<typeof stockFields>> {
  readonly histories: readonly StockHistory[];
}

export function isSameOffer(
  one: Pick<Launch, 'instanceType' | 'chargeType'>,
  other: Offer,
): boolean {
  return one.instanceType === other.instanceType && one.chargeType === other.chargeType;
}

/** A subnet of a region. */
export interface Subnet {
  readonly id: string;
  /** `null` for a subnet that a complete answer does not name. */
  readonly zone: string | null;
}

/** What a record says about launches. */
export interface LaunchFacts {
  readonly launches?: readonly (Launch | UnjudgedLaunch)[];
  readonly stock?: Stock | null;
  readonly subnets?: readonly Subnet[];
}
