import type { Clock } from '../../model/clock.ts';
import type { PublishedRecords } from '../../model/published-records.ts';
import type { TargetRecord } from '../../model/record.ts';
import { isFresh, isUp } from '../../model/staleness.ts';
import { families } from './families.ts';

/** How many records in a row make a block: what is rendered, joined and compressed together. */
const blockLength = 64;

/** The samples of one family and block. It stays the same object until one of its texts changes. */
export interface SamplePart {
  /** One for each record of the block. */
  readonly texts: readonly string[];
}

interface Shown {
  readonly record: TargetRecord;
  readonly isFresh: boolean;
}

interface Block {
  readonly shown: readonly Shown[];
  /** One for each of {@link families}, in their order. */
  readonly parts: readonly SamplePart[];
}

/** The samples of all records at one time; never changes. */
export interface RecordSamples {
  /** Another one whenever a text is another. */
  readonly revision: number;
  /** When the next of the fresh records goes stale; milliseconds since the Unix epoch. */
  readonly staleAtMs: number;
  /** The parts of a family, by its place in {@link families}; some may be without text. */
  readonly partsOf: (family: number) => readonly SamplePart[];
}

/**
 * The samples of every record as text. A record is rendered once, when it was replaced or has gone
 * stale and somebody asks, and only the parts whose text thereby changes are replaced.
 */
export class RecordTexts {
  readonly #published: PublishedRecords;
  readonly #staleAfterMs: () => number;
  readonly #clock: Clock;
  #blocks: readonly Block[] = [];
  #renderedRevision = -1;
  #renderedAtMs = -Infinity;
  #samples: RecordSamples = { revision: 0, staleAtMs: Infinity, partsOf: () => [] };

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
    const render = ({ record, isFresh }: Shown) => {
      const view = { record, isFresh, isUp: isUp(record, nowMs, staleAfterMs) };
      return families.map((family) => family.render(view));
    };
    const shown = this.#published
      .all()
      .map((record) => ({ record, isFresh: isFresh(record, nowMs, staleAfterMs) }));

    const before = this.#blocks;
    const blocks = Array.from({ length: Math.ceil(shown.length / blockLength) }, (_, i) => {
      const from = i * blockLength;
      return updateBlock(before[i], shown.slice(from, from + blockLength), render);
    });
    const isChanged =
      blocks.length !== before.length || blocks.some((block, i) => block !== before[i]);

    this.#blocks = blocks;
    this.#renderedRevision = this.#published.revision;
    this.#renderedAtMs = nowMs;
    this.#samples = {
      revision: this.#samples.revision + (isChanged ? 1 : 0),
      staleAtMs: nextStaleMs(shown, staleAfterMs),
      partsOf: (family) => blocks.flatMap(({ parts }) => parts[family] ?? []),
    };
  }
}

function updateBlock(
  known: Block | undefined,
  shown: readonly Shown[],
  render: (shown: Shown) => readonly string[],
): Block {
  const rendered = shown.map((each, i) => {
    const before = known?.shown[i];
    const isSame = before?.record === each.record && before.isFresh === each.isFresh;
    return isSame ? null : render(each);
  });
  const isSame = known?.shown.length === shown.length && rendered.every((texts) => texts === null);
  if (isSame) return known;
  const parts = families.map((_, family) => {
    const before = known?.parts[family];
    const texts = rendered.map((each, i) => each?.[family] ?? before?.texts[i] ?? '');
    return before !== undefined && areEqual(texts, before.texts) ? before : { texts };
  });
  return { shown, parts };
}

function areEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

function nextStaleMs(shown: readonly Shown[], staleAfterMs: number): number {
  let nextMs = Infinity;
  for (const { record, isFresh } of shown) {
    const successMs = record.freshness.lastSuccessAtMs;
    if (isFresh && successMs !== null) nextMs = Math.min(nextMs, successMs + staleAfterMs);
  }
  return nextMs;
}
