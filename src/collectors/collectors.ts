import { CollectorSet } from './collector-set.ts';
import { launchTemplateCollector } from './launch-template/collector.ts';
import { launchTemplateListCollector } from './launch-template-list/collector.ts';
import { quotaCollector } from './quota/collector.ts';
import { regionListCollector } from './region-list/collector.ts';

/** Every kind of target of this program. Add a new kind as one more row. */
export const collectors = new CollectorSet([
  regionListCollector,
  quotaCollector,
  launchTemplateListCollector,
  launchTemplateCollector,
]);
