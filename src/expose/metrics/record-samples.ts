/** The samples of accounts, records and launches. */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { createYielder } from '../../model/yielding.ts';
import { family, type FamilyHeader, type FamilyOf } from '../../model/metric-family.ts';
import { ObjectMemo } from '../../model/memoize.ts';
import type { LabelledAccount } from '../../model/target.ts';
import type { Evaluation } from '../evaluation.ts';
import type { EvaluatedRecord } from '../evaluated-record.ts';
import { freshnessFamilies } from './freshness-families.ts';
import { launchSamples } from './launch-families.ts';
import { quotaFamilies } from './quota-families.ts';
import { isInShard, type Shard } from './shard.ts';
import {
  addToFamilies,
  labelText,
  familySamples,
  type SamplesByFamily,
  type FamilySamples,
} from './text-format.ts';

/** The only family that comes from the configuration. */
export const accountInfo: FamilyOf<LabelledAccount> = family(
  'cvm_monitor_account_info',
  'Always 1; the labels of the account come from the configuration, before any answer.',
  ({ labels, name }) => [{ labels: { account: name, ...labels }, value: 1 }],
);

/**
 * Gives the samples of all records. Those of a record are remembered with it.
 *
 * @param shard the accounts whose records are shown. Absent: all
 */
export function createRecordSamples(collectors: CollectorSet, shard?: Shard) {
  const ofQuotas = quotaFamilies(collectors);
  const ofRecords = new ObjectMemo<readonly FamilySamples[]>();
  const ofLaunches = new ObjectMemo<readonly FamilySamples[]>();
  const isOurs = (account: string) => isInShard(account, shard);
  const samplesOf = (
    watched: EvaluatedRecord,
    accountLabels: LabelledAccount['labels'],
    areCountersHidden: boolean,
  ) => {
    const { collector, record } = watched;
    const { account, region, operation, resource } = record.target;
    const { lastPoll, polls } = record.observed.freshness;
    const isShown = isOurs(account);
    const showsChanges = isShown && !areCountersHidden && lastPoll !== null;
    // No other daemon shows how the polls of this one ended.
    const showsPolls = isShown || polls > 0;
    const shown = <Family extends FamilyHeader>(all: readonly Family[], counters: boolean) =>
      all.filter(({ type }) => (type === 'counter' ? counters : isShown));
    const place = labelText({ account, region, ...resource });
    const placeOfPolls = labelText({ account, region, operation, ...resource });
    return [
      ...familySamples(shown(ofQuotas, showsChanges), watched, place),
      ...familySamples(
        shown(collector.families, showsChanges),
        { ...watched, accountLabels },
        place,
      ),
      ...familySamples(shown(freshnessFamilies, showsPolls), watched, placeOfPolls),
    ];
  };
  /** @param areCountersHidden whether the counters of changes are absent */
  return async (
    { launches, targets }: Pick<Evaluation, 'launches' | 'targets'>,
    accounts: readonly LabelledAccount[],
    areCountersHidden = false,
  ): Promise<SamplesByFamily> => {
    const labelsOf = new Map(accounts.map(({ labels, name }) => [name, labels]));
    const grouped: SamplesByFamily = new Map();
    for (const account of accounts) {
      if (isOurs(account.name)) addToFamilies(familySamples([accountInfo], account), grouped);
    }
    const pause = createYielder();
    for (const watched of targets) {
      const labels = labelsOf.get(watched.record.target.account) ?? {};
      const ofRecord = ofRecords.of(watched, [areCountersHidden, accounts], () =>
        samplesOf(watched, labels, areCountersHidden),
      );
      addToFamilies(ofRecord, grouped);
      await pause();
    }
    const shown = ofLaunches.of(launches, [], () =>
      launches
        .filter(({ account, unjudged }) => unjudged === null && isOurs(account))
        .flatMap(launchSamples),
    );
    addToFamilies(shown, grouped);
    return grouped;
  };
}
