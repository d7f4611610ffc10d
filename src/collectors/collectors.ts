import { CollectorSet } from './collector-set.ts';
import { launchTemplateListCollector } from './launch-template-list/launch-template-list.ts';
import { launchTemplateCollector } from './launch-template/launch-template.ts';
import { groupQuotaCollector, imageQuotaCollector } from './quota/international.ts';
import { quotaCollector } from './quota/quota.ts';
import { regionListCollector } from './region-list.ts';
import { stockCollector } from './stock/stock.ts';
import { subnetCollector } from './subnet.ts';

/** Every kind of target of this program. Add a new kind as one more row. */
export const collectors = new CollectorSet([
  regionListCollector,
  quotaCollector,
  groupQuotaCollector,
  imageQuotaCollector,
  launchTemplateListCollector,
  launchTemplateCollector,
  stockCollector,
  subnetCollector,
]);
