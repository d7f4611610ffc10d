import type { FamilyHeader } from '../../model/metric-family.ts';
import type { LabelledAccount } from '../../model/labelled-account.ts';
import type { PublishedRecords } from '../../model/published-records.ts';
import type { TargetRecord } from '../../model/record.ts';
import { isFresh, isUp } from '../../model/staleness.ts';
import { thresholdsAt, thresholdsOf, type Thresholds } from '../../model/thresholds.ts';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { launchesOf } from '../launches.ts';
import { pauses } from '../pauses.ts';
import { Remembered } from '../remembered.ts';
import { watch, type Watched } from '../watched.ts';
import { sampleTexts, type RecordFamily } from './families.ts';
import { launchTexts } from './launch-families.ts';
import { isInShard, type Shard } from './shard.ts';
import {
  headerText,
  labelText,
  sampleText,
  type ExpositionFormat,
  type FamilyTexts,
} from './text-format.ts';

/** The only family that comes from the configuration. */
export const accountInfo: FamilyHeader = {
  name: 'cvm_monitor_account_info',
  type: 'gauge',
  help: 'Always 1; the labels of the account come from the configuration, before any answer.',
};

/** What samples depend on besides the records: parts of the configuration. */
export interface SampleSettings {
  readonly staleAfterMs: number;
  readonly thresholds: Thresholds;
  readonly accounts: readonly LabelledAccount[];
  /** The accounts whose records are shown; all if absent. Never changes. */
  readonly shard?: Shard | undefined;
}

/** What was made of a record. */
interface Known {
  /** One for each family, in their order. */
  readonly texts: readonly string[];
  readonly watched: Watched;
}

/** The samples of all records as text. The text of a record is remembered with it. */
export class RecordTexts {
  readonly #families: readonly RecordFamily[];
  readonly #collectors: CollectorSet;
  readonly #known = new Remembered<Known>();
  /** The texts of launches, and what they were made of. */
  #launches: { readonly from: readonly Known[]; readonly texts: readonly FamilyTexts[] } = {
    from: [],
    texts: [],
  };

  constructor(families: readonly RecordFamily[], collectors: CollectorSet) {
    this.#families = families;
    this.#collectors = collectors;
  }

  /** The families that have samples at a time, in the order of the exposition. */
  async at(
    published: PublishedRecords,
    settings: SampleSettings,
    nowMs: number,
  ): Promise<readonly FamilyTexts[]> {
    const { accounts, shard, staleAfterMs, thresholds: configured } = settings;
    const thresholds = thresholdsAt(configured, nowMs);
    const watching = { collectors: this.#collectors, staleAfterMs, thresholds, nowMs };
    const labelsOf = new Map(accounts.map(({ labels, name }) => [name, labels]));
    const families = this.#families.map((family) => ({ family, texts: new Array<string>() }));
    const from: Known[] = [];
    const pause = pauses();
    for (const record of published.all()) {
      const { account } = record.target;
      const fresh = isFresh(record, nowMs, staleAfterMs);
      const showsCounters = published.showsCounters(record);
      const overrides = thresholds.overrides.length;
      const isOurs = shard === undefined || isInShard(account, shard);
      const known = this.#known.of(
        record,
        [fresh, showsCounters, staleAfterMs, configured, overrides, accounts],
        () => {
          const view = {
            record,
            isFresh: fresh,
            isUp: isUp(record, nowMs, staleAfterMs),
            thresholdsOf: thresholdsOf(thresholds, record.target),
            accountLabels: labelsOf.get(account) ?? {},
          };
          const isShownHere = (family: RecordFamily) =>
            isShown(family, record, isOurs, showsCounters);
          const texts = sampleTexts(this.#families, view, isShownHere);
          return { texts, watched: watch(record, watching) };
        },
      );
      if (isOurs) from.push(known);
      for (const [i, text] of known.texts.entries()) if (text !== '') families[i]?.texts.push(text);
      await pause();
    }
    const before = this.#launches.from;
    if (before.length !== from.length || from.some((each, i) => each !== before[i])) {
      const judged = launchesOf(
        from.map(({ watched }) => watched),
        thresholds,
      );
      this.#launches = { from, texts: launchTexts(judged) };
    }
    const ofAccounts = { family: accountInfo, texts: accountTexts(settings) };
    return [ofAccounts, ...families, ...this.#launches.texts].filter(
      ({ texts }) => texts.length > 0,
    );
  }
}

/** One sample for each account that is shown. */
function accountTexts({ accounts, shard }: SampleSettings): string[] {
  return accounts
    .filter(({ name }) => shard === undefined || isInShard(name, shard))
    .map(({ name, labels }) =>
      sampleText(accountInfo.name, labelText({ account: name, ...labels }), 1),
    );
}

/** No other daemon shows how the polls of this one ended. */
function isShown(
  { isOfPolls, type }: RecordFamily,
  { seen }: TargetRecord,
  isOurs: boolean,
  showsCounters: boolean,
): boolean {
  if (type !== 'counter') return isOurs;
  return isOfPolls ? isOurs || seen.freshness.polls > 0 : isOurs && showsCounters;
}

/** The families as an exposition without its end. */
export async function encodeFamilies(
  families: readonly FamilyTexts[],
  format: ExpositionFormat,
): Promise<Buffer[]> {
  const pause = pauses();
  const parts: Buffer[] = [];
  for (const { family, texts } of families) {
    parts.push(Buffer.from(headerText(family, format) + texts.join('')));
    await pause();
  }
  return parts;
}
