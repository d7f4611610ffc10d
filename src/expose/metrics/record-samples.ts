/** Collects the samples of accounts, records and launches by metric family, for scrapes and for `check`. */
import { crc32 } from 'node:zlib';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { createYielder } from '../../model/async.ts';
import { family, type FamilyHeader, type FamilyOf } from '../../model/metric-family.ts';
import { memoizePerObject } from '../../model/memoize.ts';
import { labelsByAccount, type LabelledAccount } from '../../model/target.ts';
import type { Evaluation, EvaluatedRecord } from '../evaluation.ts';
import { freshnessFamilies, quotaFamilies } from './record-families.ts';
import { launchSamples } from './launch-families.ts';
import { addToFamilies, labelText, familySamples, type SamplesByFamily } from './text-format.ts';

/** A part of the accounts, for more series than one scrape should have: `--web.shard=INDEX/COUNT`, the index from 0. */
export type Shard = Readonly<NonNullable<ReturnType<typeof parseShard>>>;

/** Each account is in exactly one of `count` shards, whatever other accounts there are. `undefined`: always true. */
export function isInShard(account: string, shard: Shard | undefined): boolean {
  return shard === undefined || crc32(account) % shard.count === shard.index;
}

const maxShards = 1_000;

/** Reads a text such as `0/4`, the first of four shards; `null` for anything else. At most 1,000 shards. */
export function parseShard(text: string) {
  const [, index, count] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  return shard.index < shard.count && shard.count <= maxShards ? shard : null;
}

/** Exists before any answer: the only family of an account that comes from the configuration alone. */
export const accountInfo: FamilyOf<LabelledAccount> = family(
  'cvm_monitor_account_info',
  'Always 1 for each account of the configuration, before any answer.',
  ({ labels, name }) => [{ labels: { account: name, ...labels }, value: 1 }],
);

type Labels = LabelledAccount['labels'];
const noLabels: Labels = {};

/**
 * Creates the function that gives the samples of all records. The samples of an evaluated record are memoized while the
 * labels of its account and `areCountersHidden` stay the same, those of launches while launches and accounts do.
 *
 * @param shard the accounts whose records are shown. Absent: all
 */
export function createRecordSamples(collectors: CollectorSet, shard?: Shard) {
  const families = quotaFamilies(collectors);
  const samplesOf = memoizePerObject(
    (evaluated: EvaluatedRecord, accountLabels: Labels, areCountersHidden: boolean) => {
      const { collector, record } = evaluated;
      const { account, region, operation, resource } = record.target;
      const { lastPoll, polls } = record.observed.freshness;
      const isShown = isInShard(account, shard);
      const showsChanges = isShown && !areCountersHidden && lastPoll !== null;
      // Also outside the shard: no other daemon shows how the polls of this one ended.
      const showsPolls = isShown || polls > 0;
      /** Gauges if the account is in the shard, and counters if asked for. */
      const shown = <Family extends FamilyHeader>(all: readonly Family[], showsCounters: boolean) =>
        all.filter(({ type }) => (type === 'counter' ? showsCounters : isShown));
      // Directly after the account: behind labels that differ from line to line, texts compress worse.
      const accountAndRegion = { account, ...accountLabels, region };
      const labels = labelText({ ...accountAndRegion, ...resource });
      const labelsOfPolls = labelText({ ...accountAndRegion, operation, ...resource });
      return [
        ...familySamples(shown(families, showsChanges), evaluated, labels),
        ...familySamples(shown(collector.families, showsChanges), evaluated, labels),
        ...familySamples(shown(freshnessFamilies, showsPolls), evaluated, labelsOfPolls),
      ];
    },
  );
  const samplesOfLaunches = memoizePerObject(
    (launches: Evaluation['launches'], accounts: readonly LabelledAccount[]) => {
      const labelsOf = labelsByAccount(accounts);
      return launches
        .filter(({ account, unjudged }) => unjudged === null && isInShard(account, shard))
        .flatMap((launch) => launchSamples(launch, labelsOf.get(launch.account) ?? noLabels));
    },
  );
  /**
   * The samples in the order of the exposition: accounts, records, launches.
   *
   * @param areCountersHidden true: the counters of changes are absent, because the store cannot be read. Defaults to false
   */
  return async (
    { launches, targets }: Pick<Evaluation, 'launches' | 'targets'>,
    accounts: readonly LabelledAccount[],
    areCountersHidden = false,
  ): Promise<SamplesByFamily> => {
    const labelsOf = labelsByAccount(accounts);
    const byFamily: SamplesByFamily = new Map();
    for (const account of accounts) {
      if (!isInShard(account.name, shard)) continue;
      addToFamilies(familySamples([accountInfo], account), byFamily);
    }
    const yieldIfLong = createYielder();
    for (const evaluated of targets) {
      const labels = labelsOf.get(evaluated.record.target.account) ?? noLabels;
      addToFamilies(samplesOf(evaluated, labels, areCountersHidden), byFamily);
      await yieldIfLong();
    }
    addToFamilies(samplesOfLaunches(launches, accounts), byFamily);
    return byFamily;
  };
}
