import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../model/clock.ts';
import type { PublishedRecords } from '../../model/published-records.ts';
import { differInFreshnessOnly, type TargetRecord } from '../../model/record.ts';
import type { LabelledAccount } from '../../model/labelled-account.ts';
import { freshnessChangesAtMs, isFresh, isUp } from '../../model/staleness.ts';
import { nextEndMs, thresholdsAt, thresholdsOf, type Thresholds } from '../../model/thresholds.ts';
import type { TextFamily } from './families.ts';
import { isInShard, type Shard } from './shard.ts';
import { yieldAfter } from './yield-after.ts';

/** Number of consecutive records in a block. A block is rendered, joined and compressed together. */
const blockLength = 64;
/** Amount of text that is rendered before the event loop gets a turn: about a millisecond of work. */
const stretchLength = 32 * 1024;

/** The samples of one family and block. It is the same object until one of its texts changes. */
export interface SamplePart {
  /** One for each record of the block. */
  readonly texts: readonly string[];
}

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

interface Shown {
  readonly record: TargetRecord;
  readonly common: Common;
  readonly isFresh: boolean;
  readonly showsCounters: boolean;
}

interface Block {
  readonly shown: readonly Shown[];
  /** One for each family, in their order. */
  readonly parts: readonly SamplePart[];
}

/** The samples of all records at one time; never changes. */
export interface RecordSamples {
  /** Changes whenever a text changes. */
  readonly revision: number;
  /**
   * The time when the next record becomes stale or fresh, or the next override of thresholds ends. Milliseconds
   * since the Unix epoch.
   */
  readonly expiresAtMs: number;
  /** In the order of the exposition. Some parts may be empty. */
  readonly families: readonly {
    readonly family: TextFamily;
    readonly parts: readonly SamplePart[];
  }[];
}

/**
 * The samples of every record as text. An update renders only records that were replaced or became stale since
 * the last update, or all when thresholds or labels changed. It replaces only parts with changed text. It
 * yields to the event loop, so that the process can respond.
 */
export class SampleBlocks {
  readonly #families: readonly TextFamily[];
  readonly #published: PublishedRecords;
  readonly #settings: () => SampleSettings;
  readonly #clock: Clock;
  #blocks: readonly Block[] = [];
  #common: Common | null = null;
  #renderedRevision = -1;
  #renderedAtMs = -Infinity;
  #renderedSettings: SampleSettings | null = null;
  #samples: RecordSamples = { revision: 0, expiresAtMs: Infinity, families: [] };

  constructor(
    families: readonly TextFamily[],
    published: PublishedRecords,
    settings: () => SampleSettings,
    clock: Clock,
  ) {
    this.#families = families;
    this.#published = published;
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Whether the samples of a revision are up to date. */
  isCurrent(revision: number): boolean {
    return revision === this.#samples.revision && !this.#mayHaveChanged();
  }

  /**
   * The present samples. It is the same object while nothing can have changed. Must not be called again before
   * it has resolved.
   */
  async update(): Promise<RecordSamples> {
    if (this.#mayHaveChanged()) await this.#render();
    return this.#samples;
  }

  #mayHaveChanged(): boolean {
    const nowMs = this.#clock.now();
    return (
      this.#published.revision !== this.#renderedRevision ||
      !isSame(this.#settings(), this.#renderedSettings) ||
      nowMs >= this.#samples.expiresAtMs ||
      nowMs < this.#renderedAtMs
    );
  }

  async #render(): Promise<void> {
    const nowMs = this.#clock.now();
    const { revision } = this.#published;
    const settings = this.#settings();
    const { staleAfterMs } = settings;
    const common = this.#commonAt(settings, nowMs);
    const isShown = (
      { basis, type }: TextFamily,
      { record, showsCounters }: Pick<Shown, 'record' | 'showsCounters'>,
    ) => {
      // No other daemon shows how the polls of this one ended.
      const isOfPolls = type === 'counter' && basis !== null;
      const {
        seen: { freshness },
        target,
      } = record;
      if (settings.shard !== undefined && !isInShard(target.account, settings.shard)) {
        return isOfPolls && freshness.polls > 0;
      }
      return showsCounters || type !== 'counter' || isOfPolls;
    };
    const render = ({ record, isFresh, showsCounters }: Shown, before?: Shown) => {
      const view = {
        record,
        isFresh,
        isUp: isUp(record, nowMs, staleAfterMs),
        thresholdsOf: thresholdsOf(common.thresholds, record.target),
        accountLabels: common.labels.get(record.target.account) ?? {},
      };
      const onlyFreshness =
        before?.isFresh === isFresh &&
        before.showsCounters === showsCounters &&
        before.common === common &&
        differInFreshnessOnly(before.record, record);
      return this.#families.map((family) => {
        const { basis } = family;
        if (onlyFreshness && basis?.(record) === basis?.(before.record)) return null;
        return isShown(family, { record, showsCounters }) ? family.render(view) : '';
      });
    };
    const shown = this.#published.all().map((record) => ({
      record,
      common,
      isFresh: isFresh(record, nowMs, staleAfterMs),
      showsCounters: this.#published.showsCounters(record),
    }));

    const before = this.#blocks;
    const blocks: Block[] = [];
    const yielding = yieldAfter(stretchLength);
    for (let from = 0; from < shown.length; from += blockLength) {
      const known = before[blocks.length];
      const part = shown.slice(from, from + blockLength);
      blocks.push(await this.#updateBlock(known, part, render, yielding));
    }
    const isChanged =
      blocks.length !== before.length || blocks.some((block, i) => block !== before[i]);

    this.#blocks = blocks;
    this.#renderedRevision = revision;
    this.#renderedAtMs = nowMs;
    this.#renderedSettings = settings;
    this.#samples = {
      revision: this.#samples.revision + (isChanged ? 1 : 0),
      expiresAtMs: Math.min(
        nextChangeMs(shown, nowMs, staleAfterMs),
        nextEndMs(settings.thresholds, nowMs),
      ),
      families: this.#families.map((family, i) => ({
        family,
        parts: blocks.flatMap(({ parts }) => parts[i] ?? []),
      })),
    };
  }

  #commonAt({ thresholds, accounts }: SampleSettings, nowMs: number): Common {
    const labels = new Map(accounts.map((account) => [account.name, account.labels]));
    const common = { thresholds: thresholdsAt(thresholds, nowMs), labels };
    if (this.#common === null || !isDeepStrictEqual(this.#common, common)) this.#common = common;
    return this.#common;
  }

  async #updateBlock(
    known: Block | undefined,
    shown: readonly Shown[],
    render: (shown: Shown, before?: Shown) => readonly (string | null)[],
    yielding: ReturnType<typeof yieldAfter>,
  ): Promise<Block> {
    const rendered: (readonly (string | null)[] | null)[] = [];
    for (const each of shown) {
      const before = known?.shown[rendered.length];
      const isSame =
        before?.record === each.record &&
        before.common === each.common &&
        before.isFresh === each.isFresh &&
        before.showsCounters === each.showsCounters;
      const texts = isSame ? null : render(each, before);
      rendered.push(texts);
      const turn = yielding(texts?.reduce((sum, text) => sum + (text?.length ?? 0), 0) ?? 0);
      if (turn !== null) await turn;
    }
    const isSame =
      known?.shown.length === shown.length && rendered.every((texts) => texts === null);
    if (isSame) return known;
    const parts = this.#families.map((_, family) => {
      const before = known?.parts[family];
      const textAt = (i: number) => rendered[i]?.[family] ?? before?.texts[i] ?? '';
      const isEqual =
        before?.texts.length === shown.length &&
        before.texts.every((text, i) => text === textAt(i));
      return isEqual ? before : { texts: shown.map((_each, i) => textAt(i)) };
    });
    return { shown, parts };
  }
}

function isSame(settings: SampleSettings, other: SampleSettings | null): boolean {
  return (
    settings.staleAfterMs === other?.staleAfterMs &&
    settings.thresholds === other.thresholds &&
    settings.accounts === other.accounts
  );
}

function nextChangeMs(shown: readonly Shown[], nowMs: number, staleAfterMs: number): number {
  let nextMs = Infinity;
  for (const { record } of shown) {
    nextMs = Math.min(nextMs, freshnessChangesAtMs(record, nowMs, staleAfterMs));
  }
  return nextMs;
}
