/** The kinds of targets of this program. The daemon and the commands import this set. A new kind is one more row. */
import { CollectorSet } from './collector-set.ts';
import { diskCollector } from './disk.ts';
import { launchTemplateListCollector } from './launch-template-list.ts';
import { launchTemplateCollector } from './launch-template/launch-template.ts';
import { groupQuotaCollector, imageQuotaCollector } from './quota/international.ts';
import { priceCollector } from './price.ts';
import { quotaCollector } from './quota/quota.ts';
import { regionListCollector } from './region-list.ts';
import { placementGroupCollector, subnetCollector } from './resources.ts';
import { configurationCollector } from './scaling/configurations.ts';
import { scalingGroupCollector } from './scaling/groups.ts';
import { activityCollector } from './scaling/activities.ts';
import { stockCollector } from './stock/stock.ts';

/** Order matters: a kind plans from the records of the kinds above it. */
export const collectors = new CollectorSet([
  regionListCollector,
  quotaCollector,
  groupQuotaCollector,
  imageQuotaCollector,
  launchTemplateListCollector,
  launchTemplateCollector,
  scalingGroupCollector,
  configurationCollector,
  stockCollector,
  subnetCollector,
  diskCollector,
  placementGroupCollector,
  priceCollector,
  activityCollector,
]);
