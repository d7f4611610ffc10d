import { hourMs } from '../../model/periods.ts';
import type { Target } from '../../model/target.ts';

export const regionListOperation = 'DescribeRegions';

/** Each region answers with the regions of the whole account (docs/service.md, section 7). */
const askedRegion = 'ap-guangzhou';

export interface RegionListTarget extends Target {
  readonly operation: typeof regionListOperation;
  readonly intervalMs: number;
}

/** The target that finds the regions of an account. */
export function regionListTarget(account: string): RegionListTarget {
  return { account, region: askedRegion, operation: regionListOperation, intervalMs: hourMs };
}
