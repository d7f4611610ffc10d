/**
 * The order in which the targets of an account are polled: in waves, since some answers find further targets. The daemon
 * and `check` share it.
 */
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Target } from '../model/target.ts';

export interface WavesOptions {
  readonly collectors: CollectorSet;
  /** The targets of the account that are known now. The answers of a wave add further ones. */
  readonly targets: () => readonly Target[];
  /** Polls a target if necessary. Never rejects. */
  readonly visit: (target: Target) => Promise<void>;
}

/**
 * Visits every target of an account once. The targets of a region that the answers of others find follow them. No
 * region waits for another one: a host that does not answer delays only its own targets. Regions that are found
 * meanwhile are visited too.
 */
export async function visitInWaves({ collectors, targets, visit }: WavesOptions): Promise<void> {
  const begun = new Set<string>();
  const visitRegion = async (region: string) => {
    const here = () => targets().filter((each) => each.region === region);
    const known = here();
    const ended = new Map<string, Promise<unknown>>();
    for (const { follows, operation, regionDiscovery } of collectors.all) {
      const isAsked = (target: Target) => target.operation === operation;
      const before = follows.flatMap((each) => ended.get(each) ?? []);
      const mayHaveTargets = before.length > 0 || known.some(isAsked);
      if (regionDiscovery !== null || !mayHaveTargets) continue;
      const visitAll = () => Promise.all(here().filter(isAsked).map(visit));
      ended.set(operation, Promise.all(before).then(visitAll));
    }
    await Promise.all(ended.values());
  };
  const isFinder = (target: Target) => collectors.of(target).regionDiscovery !== null;
  const visitRegions = async () => {
    const regions = new Set(targets().flatMap((each) => (isFinder(each) ? [] : [each.region])));
    const added = [...regions].filter((region) => !begun.has(region));
    for (const region of added) begun.add(region);
    await Promise.all(added.map(visitRegion));
  };
  const finders = targets().filter(isFinder);
  await Promise.all([visitRegions(), Promise.all(finders.map(visit)).then(visitRegions)]);
}
