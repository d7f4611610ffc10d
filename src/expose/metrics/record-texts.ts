import type { Clock } from '../../model/clock.ts';
import type { PublishedRecords } from '../../model/published-records.ts';
import type { TargetRecord } from '../../model/record.ts';
import { isFresh, isUp } from '../../model/staleness.ts';
import { families } from './families.ts';

interface RenderedRecord {
  readonly record: TargetRecord;
  readonly isFresh: boolean;
  /** One text for each of {@link families}, in their order. */
  readonly texts: readonly string[];
}

/** The samples of all records at one time; never changes. */
export interface RecordSamples {
  /** Another one for every other text of any family. */
  readonly revision: number;
  /** For each of {@link families}, the revision that its text came with. */
  readonly familyRevisions: readonly number[];
  /** When the next of the fresh records goes stale; milliseconds since the Unix epoch. */
  readonly staleAtMs: number;
  /** The samples of a family, by its place in {@link families}. */
  readonly textOf: (family: number) => string;
}

/**
 * The samples of every record as text. A record is rendered once, when it was replaced or has gone
 * stale and somebody asks; the texts are joined as often as somebody asks for something new.
 */
export class RecordTexts {
  readonly #published: PublishedRecords;
  readonly #staleAfterMs: () => number;
  readonly #clock: Clock;
  #rendered: readonly RenderedRecord[] = [];
  #renderedRevision = -1;
  #renderedAtMs = -Infinity;
  #samples: RecordSamples = {
    revision: 0,
    familyRevisions: families.map(() => 0),
    staleAtMs: Infinity,
    textOf: () => '',
  };

  constructor(published: PublishedRecords, staleAfterMs: () => number, clock: Clock) {
    this.#published = published;
    this.#staleAfterMs = staleAfterMs;
    this.#clock = clock;
  }

  /** The samples as of now. They are the same object while nothing may have changed. */
  update(): RecordSamples {
    const nowMs = this.#clock.now();
    const mayHaveChanged =
      this.#published.revision !== this.#renderedRevision ||
      nowMs >= this.#samples.staleAtMs ||
      nowMs < this.#renderedAtMs;
    if (mayHaveChanged) this.#render(nowMs);
    return this.#samples;
  }

  #render(nowMs: number): void {
    const staleAfterMs = this.#staleAfterMs();
    const before = this.#rendered;
    const changed = new Set<number>();
    let staleAtMs = Infinity;

    const rendered = this.#published.all().map((record, i) => {
      const fresh = isFresh(record, nowMs, staleAfterMs);
      const successMs = record.freshness.lastSuccessAtMs;
      if (fresh && successMs !== null) staleAtMs = Math.min(staleAtMs, successMs + staleAfterMs);
      const known = before[i];
      if (known?.record === record && known.isFresh === fresh) return known;
      const view = { record, isFresh: fresh, isUp: isUp(record, nowMs, staleAfterMs) };
      const texts = families.map((family) => family.render(view));
      noteDifferences(changed, known?.texts, texts);
      return { record, isFresh: fresh, texts };
    });
    for (const { texts } of before.slice(rendered.length)) noteDifferences(changed, texts, []);

    const revision = this.#samples.revision + (changed.size > 0 ? 1 : 0);
    this.#rendered = rendered;
    this.#renderedRevision = this.#published.revision;
    this.#renderedAtMs = nowMs;
    this.#samples = {
      revision,
      familyRevisions: this.#samples.familyRevisions.map((known, family) =>
        changed.has(family) ? revision : known,
      ),
      staleAtMs,
      textOf: (family) => rendered.map(({ texts }) => texts[family]).join(''),
    };
  }
}

function noteDifferences(
  changed: Set<number>,
  before: readonly string[] = [],
  after: readonly string[],
): void {
  for (const family of families.keys()) {
    if ((before[family] ?? '') !== (after[family] ?? '')) changed.add(family);
  }
}
