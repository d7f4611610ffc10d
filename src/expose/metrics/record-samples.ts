/** The samples of accounts, records and launches. */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { LabelledAccount } from '../../model/target.ts';
import { family, type FamilyHeader, type FamilyOf } from '../../model/metric-family.ts';
import { pauses } from '../../model/async.ts';
import { Remembered } from '../remembered.ts';
import type { Present } from '../present.ts';
import type { Watched } from '../watched.ts';
import { freshnessFamilies } from './freshness-families.ts';
import { launchSamples } from './launch-families.ts';
import { quotaFamilies } from './quota-families.ts';
import { everyAccount, isInShard, type Shard } from './shard.ts';
import {
  blockOf,
  group,
  labelText,
  textsOf,
  type Grouped,
  type SampleBlock,
} from './text-format.ts';

/** The only family that comes from the configuration. */
export const accountInfo: FamilyOf<LabelledAccount> = family(
  'cvm_monitor_account_info',
  'Always 1; the labels of the account come from the configuration, before any answer.',
  ({ labels, name }) => [{ labels: { account: name, ...labels }, value: 1 }],
);

/** What samples are made of. */
export interface Exposed extends Pick<Present, 'launches' | 'targets'> {
  readonly accounts: readonly LabelledAccount[];
  /** Whether the counters of changes are absent. Defaults to false. */
  readonly areCountersHidden?: boolean;
}

/** The samples of all records. Those of a record are remembered with it. */
export class RecordSamples {
  readonly #quotaFamilies: readonly FamilyOf<Watched>[];
  readonly #shard: Shard;
  readonly #ofRecords = new Remembered<SampleBlock>();
  readonly #ofLaunches = new Remembered<readonly SampleBlock[]>();

  /** @param shard the accounts whose records are shown */
  constructor(collectors: CollectorSet, shard = everyAccount) {
    this.#quotaFamilies = quotaFamilies(collectors);
    this.#shard = shard;
  }

  async of(exposed: Exposed): Promise<Grouped> {
    const { accounts, areCountersHidden = false, launches, targets } = exposed;
    const isOurs = (account: string) => isInShard(account, this.#shard);
    const labelsOf = new Map(accounts.map(({ labels, name }) => [name, labels]));
    const grouped: Grouped = new Map();
    for (const account of accounts) {
      if (isOurs(account.name)) group(blockOf(textsOf([accountInfo], account)), grouped);
    }
    const pause = pauses();
    for (const watched of targets) {
      const { account } = watched.record.target;
      const ofRecord = this.#ofRecords.of(watched, [areCountersHidden, accounts], () =>
        this.#samplesOf(watched, labelsOf.get(account) ?? {}, isOurs(account), areCountersHidden),
      );
      group(ofRecord, grouped);
      await pause();
    }
    const ofLaunches = this.#ofLaunches.of(launches, [], () =>
      launches.judged.filter(({ account }) => isOurs(account)).map(launchSamples),
    );
    for (const ofLaunch of ofLaunches) group(ofLaunch, grouped);
    return grouped;
  }

  #samplesOf(
    watched: Watched,
    accountLabels: LabelledAccount['labels'],
    isOurs: boolean,
    areCountersHidden: boolean,
  ): SampleBlock {
    const { collector, record } = watched;
    const { account, region, operation, resource } = record.target;
    const { lastPoll, polls } = record.seen.freshness;
    const showsChanges = isOurs && !areCountersHidden && lastPoll !== null;
    // No other daemon shows how the polls of this one ended.
    const showsPolls = isOurs || polls > 0;
    const shown = <Family extends FamilyHeader>(families: readonly Family[], counters: boolean) =>
      families.filter(({ type }) => (type === 'counter' ? counters : isOurs));
    const place = labelText({ account, region, ...resource });
    return blockOf([
      ...textsOf(shown(this.#quotaFamilies, showsChanges), watched, place),
      ...textsOf(shown(collector.families, showsChanges), { ...watched, accountLabels }, place),
      ...textsOf(
        shown(freshnessFamilies, showsPolls),
        watched,
        labelText({ account, region, operation, ...resource }),
      ),
    ]);
  }
}
