/** The table of the parts of launches. A new part is a row here, and a collector if none reads what it needs yet. */
import { diskPart } from './disk.ts';
import { groupPart } from './group.ts';
import type { LaunchPart } from './part.ts';
import { placementGroupPart } from './placement-group.ts';
import { quotaPart } from './quota.ts';
import { stockPart } from './stock.ts';
import { subnetPart } from './subnet.ts';
import { versionPart } from './version.ts';

/** In the order of page, JSON and metrics. */
export const launchParts: readonly LaunchPart[] = [
  versionPart,
  quotaPart,
  stockPart,
  diskPart,
  subnetPart,
  placementGroupPart,
  groupPart,
];

/** What can stop a launch, too, and is no part: for the help of metrics and the documents. */
export const notCounted = 'the price of spot, quotas of one spot type, EIPs and the balance';
