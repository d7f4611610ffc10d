import { isDeepStrictEqual } from 'node:util';
import type { FamilyHeader } from '../../model/metric-family.ts';
import type { LabelledAccount } from '../../model/labelled-account.ts';
import type { PublishedRecords } from '../../model/published-records.ts';
import type { TargetRecord } from '../../model/record.ts';
import { isFresh, isUp } from '../../model/staleness.ts';
import { thresholdsAt, thresholdsOf, type Thresholds } from '../../model/thresholds.ts';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { launchesOf } from '../launches.ts';
import { pauses } from '../pauses.ts';
import { watch } from '../watched.ts';
import type { TextFamily } from './families.ts';
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

/** The settings at one time that all samples have in common. It is the same object until one changes. */
interface Common {
  /** Without the overrides that have ended. */
  readonly thresholds: Thresholds;
  readonly labels: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** The text of a record, and what it was rendered from besides the record. */
interface Remembered {
  readonly common: Common;
  readonly isFresh: boolean;
  readonly showsCounters: boolean;
  /** One for each family, in their order. */
  readonly texts: readonly string[];
}

/**
 * The samples of all records as text. Records are immutable, so the text of a record is remembered with it. It is
 * rendered again only when the record became stale, or when thresholds or labels changed.
 */
export class RecordTexts {
  readonly #families: readonly TextFamily[];
  readonly #collectors: CollectorSet;
  readonly #known = new WeakMap<TargetRecord, Remembered>();
  #common: Common | null = null;
  /** The texts of launches, and the texts of records with which they were rendered. */
  #launches: { readonly from: readonly Remembered[]; readonly texts: readonly FamilyTexts[] } = {
    from: [],
    texts: [],
  };

  constructor(families: readonly TextFamily[], collectors: CollectorSet) {
    this.#families = families;
    this.#collectors = collectors;
  }

  /** The families that have samples at a time, in the order of the exposition. */
  async at(
    published: PublishedRecords,
    settings: SampleSettings,
    nowMs: number,
  ): Promise<readonly FamilyTexts[]> {
    const common = this.#commonAt(settings, nowMs);
    const families = this.#families.map((family) => ({ family, texts: new Array<string>() }));
    const pause = pauses();
    const all = published.all();
    const from: Remembered[] = [];
    for (const record of all) {
      const showsCounters = published.showsCounters(record);
      const remembered = this.#remembered(record, { common, showsCounters, settings, nowMs });
      from.push(remembered);
      for (const [i, text] of remembered.texts.entries()) {
        if (text !== '') families[i]?.texts.push(text);
      }
      await pause();
    }
    const before = this.#launches.from;
    if (before.length !== from.length || from.some((each, i) => each !== before[i])) {
      const texts = launchTexts(this.#launchesOf(all, common, settings, nowMs));
      this.#launches = { from, texts };
    }
    const accounts = { family: accountInfo, texts: accountTexts(settings) };
    return [accounts, ...families, ...this.#launches.texts].filter(({ texts }) => texts.length > 0);
  }

  #launchesOf(
    all: readonly TargetRecord[],
    { thresholds }: Common,
    { shard, staleAfterMs }: SampleSettings,
    nowMs: number,
  ) {
    const ours = all.filter(
      ({ target }) => shard === undefined || isInShard(target.account, shard),
    );
    const options = { collectors: this.#collectors, staleAfterMs, thresholds, nowMs };
    return launchesOf(
      ours.map((record) => watch(record, options)),
      thresholds,
    );
  }

  #commonAt({ thresholds, accounts }: SampleSettings, nowMs: number): Common {
    const labels = new Map(accounts.map((account) => [account.name, account.labels]));
    const common = { thresholds: thresholdsAt(thresholds, nowMs), labels };
    if (this.#common === null || !isDeepStrictEqual(this.#common, common)) this.#common = common;
    return this.#common;
  }

  #remembered(
    record: TargetRecord,
    {
      common,
      nowMs,
      settings: { shard, staleAfterMs },
      showsCounters,
    }: Pick<Remembered, 'common' | 'showsCounters'> & {
      readonly settings: SampleSettings;
      readonly nowMs: number;
    },
  ): Remembered {
    const known = this.#known.get(record);
    const fresh = isFresh(record, nowMs, staleAfterMs);
    if (
      known?.common === common &&
      known.isFresh === fresh &&
      known.showsCounters === showsCounters
    ) {
      return known;
    }
    const { seen, target } = record;
    const view = {
      record,
      isFresh: fresh,
      isUp: isUp(record, nowMs, staleAfterMs),
      thresholdsOf: thresholdsOf(common.thresholds, target),
      accountLabels: common.labels.get(target.account) ?? {},
    };
    const isOurs = shard === undefined || isInShard(target.account, shard);
    const isShown = ({ countsPolls, type }: TextFamily) => {
      // No other daemon shows how the polls of this one ended.
      if (countsPolls) return isOurs || seen.freshness.polls > 0;
      return isOurs && (showsCounters || type !== 'counter');
    };
    const texts = this.#families.map((family) => (isShown(family) ? family.render(view) : ''));
    const remembered = { common, isFresh: fresh, showsCounters, texts };
    this.#known.set(record, remembered);
    return remembered;
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

/** Texts that are joined at a time: some milliseconds of work. */
const textsAtOnce = 100;

/** The families as an exposition without its end. */
export async function encodeFamilies(
  families: readonly FamilyTexts[],
  format: ExpositionFormat,
): Promise<Buffer[]> {
  const pause = pauses();
  const parts: Buffer[] = [];
  for (const { family, texts } of families) {
    parts.push(Buffer.from(headerText(family, format)));
    for (let i = 0; i < texts.length; i += textsAtOnce) {
      parts.push(Buffer.from(texts.slice(i, i + textsAtOnce).join('')));
      await pause();
    }
  }
  return parts;
}
