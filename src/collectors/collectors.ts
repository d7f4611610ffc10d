import { CollectorSet } from './collector-set.ts';
import { launchTemplateCollector } from './launch-template/collector.ts';
import { quotaCollector } from './quota/collector.ts';

/** Every kind of target that this program watches. A further kind is one more row. */
export const collectors = new CollectorSet([quotaCollector, launchTemplateCollector]);
