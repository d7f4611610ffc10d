/** The samples of records and launches as text. */
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { LabelledAccount } from '../../model/labelled-account.ts';
import { family, type FamilyHeader, type FamilyOf } from '../../model/metric-family.ts';
import type { Thresholds } from '../../model/thresholds.ts';
import { launchesOf } from '../launches.ts';
import { pauses } from '../pauses.ts';
import { Remembered } from '../remembered.ts';
import type { Watched } from '../watched.ts';
import { freshnessFamilies } from './freshness-families.ts';
import { launchTexts } from './launch-families.ts';
import { quotaFamilies } from './quota-families.ts';
import { everyAccount, isInShard, type Shard } from './shard.ts';
import { labelText, textsOf, type FamilyText } from './text-format.ts';

/** The only family that comes from the configuration. */
export const accountInfo: FamilyOf<LabelledAccount> = family(
  'cvm_monitor_account_info',
  'Always 1; the labels of the account come from the configuration, before any answer.',
  ({ labels, name }) => [{ labels: { account: name, ...labels }, value: 1 }],
);

/** What samples are made of. */
export interface Exposed {
  readonly watched: readonly Watched[];
  readonly accounts: readonly LabelledAccount[];
  /** Without the overrides that have ended. */
  readonly thresholds: Thresholds;
  /** Whether the counters of changes are absent. Defaults to false. */
  readonly areCountersHidden?: boolean;
}

/** The samples of all records as text. The text of a record is remembered with it. */
export class RecordTexts {
  readonly #quotaFamilies: readonly FamilyOf<Watched>[];
  readonly #shard: Shard;
  readonly #ofRecords = new Remembered<readonly FamilyText[]>();
  readonly #ofLaunches = new Remembered<readonly FamilyText[]>();

  /** @param shard the accounts whose records are shown */
  constructor(collectors: CollectorSet, shard = everyAccount) {
    this.#quotaFamilies = quotaFamilies(collectors);
    this.#shard = shard;
  }

  async of(exposed: Exposed): Promise<readonly FamilyText[]> {
    const { accounts, areCountersHidden = false, thresholds } = exposed;
    const isOurs = (account: string) => isInShard(account, this.#shard);
    const labelsOf = new Map(accounts.map(({ labels, name }) => [name, labels]));
    const texts = accounts
      .filter(({ name }) => isOurs(name))
      .flatMap((account) => textsOf([accountInfo], account));
    const ours: Watched[] = [];
    const pause = pauses();
    for (const watched of exposed.watched) {
      const { account } = watched.record.target;
      if (isOurs(account)) ours.push(watched);
      const ofRecord = this.#ofRecords.of(watched, [areCountersHidden, accounts], () =>
        this.#textsOf(watched, labelsOf.get(account) ?? {}, isOurs(account), areCountersHidden),
      );
      for (const each of ofRecord) texts.push(each);
      await pause();
    }
    const ofLaunches = this.#ofLaunches.of(this, ours, () =>
      launchTexts(launchesOf(ours, thresholds)),
    );
    return [...texts, ...ofLaunches];
  }

  #textsOf(
    watched: Watched,
    accountLabels: LabelledAccount['labels'],
    isOurs: boolean,
    areCountersHidden: boolean,
  ): FamilyText[] {
    const { collector, record } = watched;
    const { account, region, operation, resource } = record.target;
    const { lastPoll, polls } = record.seen.freshness;
    const showsChanges = isOurs && !areCountersHidden && lastPoll !== null;
    // No other daemon shows how the polls of this one ended.
    const showsPolls = isOurs || polls > 0;
    const shown = <Family extends FamilyHeader>(families: readonly Family[], counters: boolean) =>
      families.filter(({ type }) => (type === 'counter' ? counters : isOurs));
    const place = labelText({ account, region, ...resource });
    return [
      ...textsOf(shown(this.#quotaFamilies, showsChanges), watched, place),
      ...textsOf(shown(collector.families, showsChanges), { ...watched, accountLabels }, place),
      ...textsOf(
        shown(freshnessFamilies, showsPolls),
        watched,
        labelText({ account, region, operation, ...resource }),
      ),
    ];
  }
}
