import type { Clock } from '../../model/clock.ts';
import type { PublishedRecords } from '../../model/published-records.ts';
import type { TargetRecord } from '../../model/record.ts';
import { isFresh, isUp } from '../../model/staleness.ts';
import { families } from './families.ts';
import { headerText, type ExpositionFormat } from './text-format.ts';

interface RenderedRecord {
  readonly isFresh: boolean;
  /** One text for each of {@link families}, in their order. */
  readonly texts: readonly string[];
}

/**
 * The samples of every record as text. A record is rendered once, when it was replaced or has gone
 * stale and somebody asks; the texts are joined as often as somebody asks for something new.
 */
export class RecordTexts {
  readonly #published: PublishedRecords;
  readonly #staleAfterMs: () => number;
  readonly #clock: Clock;
  #rendered: ReadonlyMap<TargetRecord, RenderedRecord> = new Map();
  #renderedRevision = -1;
  #renderedAtMs = -Infinity;
  /** When the next of the fresh records goes stale. */
  #nextStaleMs = Infinity;
  #revision = 0;

  constructor(published: PublishedRecords, staleAfterMs: () => number, clock: Clock) {
    this.#published = published;
    this.#staleAfterMs = staleAfterMs;
    this.#clock = clock;
  }

  /** Brings the texts up to date. The number it returns stays the same while no text changes. */
  update(): number {
    const nowMs = this.#clock.now();
    const mayHaveChanged =
      this.#published.revision !== this.#renderedRevision ||
      nowMs >= this.#nextStaleMs ||
      nowMs < this.#renderedAtMs;
    if (mayHaveChanged) this.#render(nowMs);
    return this.#revision;
  }

  /** All samples of all records, by family. */
  join(format: ExpositionFormat): string {
    const records = [...this.#rendered.values()];
    return families
      .map((family, i) => {
        const samples = records.map(({ texts }) => texts[i]).join('');
        return samples === '' ? '' : headerText(family, format) + samples;
      })
      .join('');
  }

  #render(nowMs: number): void {
    const staleAfterMs = this.#staleAfterMs();
    const rendered = new Map<TargetRecord, RenderedRecord>();
    let nextStaleMs = Infinity;
    let reused = 0;
    for (const record of this.#published.all()) {
      const fresh = isFresh(record, nowMs, staleAfterMs);
      const before = this.#rendered.get(record);
      if (before?.isFresh === fresh) {
        rendered.set(record, before);
        reused += 1;
      } else {
        const view = { record, isFresh: fresh, isUp: isUp(record, nowMs, staleAfterMs) };
        rendered.set(record, {
          isFresh: fresh,
          texts: families.map((family) => family.render(view)),
        });
      }
      const successMs = record.freshness.lastSuccessAtMs;
      if (fresh && successMs !== null)
        nextStaleMs = Math.min(nextStaleMs, successMs + staleAfterMs);
    }
    if (reused !== rendered.size || rendered.size !== this.#rendered.size) this.#revision += 1;
    this.#rendered = rendered;
    this.#renderedRevision = this.#published.revision;
    this.#renderedAtMs = nowMs;
    this.#nextStaleMs = nextStaleMs;
  }
}
