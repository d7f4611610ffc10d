/** What a scrape gets: the samples of all records and of the monitor itself, as bytes to send. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Clock } from '../../model/clock.ts';
import { families } from './families.ts';
import { gzipPart, joinGzip, type GzipPart } from './gzip-parts.ts';
import type { RecordSamples, RecordTexts } from './record-texts.ts';
import { registryText } from './registry-text.ts';
import { endOf, headerText, type ExpositionFormat } from './text-format.ts';

export type Encoding = 'identity' | 'gzip';

/** How old the monitor's own figures may be. */
const ownFiguresMaxAgeMs = 1_000;
/** A longer exposition takes so long to make that it is not made anew for every change. */
const smallBytes = 512 * 1024;
/** How soon a long exposition is made anew when somebody asks. */
const restMs = 250;
/** How old a long exposition may be sent while the next one is being made. */
const maxAgeMs = 500;

interface Body {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly sizeBytes: number;
  readonly samples: RecordSamples;
  readonly atMs: number;
  /** Counts the bodies in the order in which they were begun. */
  readonly number: number;
}

/** The text of a family in one format. */
interface Part {
  readonly revision: number;
  readonly plain: Buffer;
  readonly zipped: () => Promise<GzipPart>;
}

/**
 * Keeps the bytes of each format and encoding that was asked for, and makes them anew only when
 * something changed and somebody asks: the texts of the families that changed, a piece at a time so
 * that the process stays responsive, and one body at a time for everyone who asks.
 *
 * A body of up to 512 KiB, about 4,000 series, holds everything up to the moment it was asked for. A
 * longer one is made at most four times a second, and may be half a second old. Neither holds a gauge
 * past its time.
 */
export class Exposition {
  readonly #records: RecordTexts;
  readonly #registry: Registry;
  readonly #clock: Clock;
  readonly #parts = new Map<ExpositionFormat, readonly Part[]>();
  readonly #bodies = new Map<string, Body>();
  #begun = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(records: RecordTexts, registry: Registry, clock: Clock) {
    this.#records = records;
    this.#registry = registry;
    this.#clock = clock;
  }

  /** The whole exposition in the format, compressed as `encoding` says. */
  async body(format: ExpositionFormat, encoding: Encoding): Promise<Buffer<ArrayBuffer>> {
    const known = this.#bodies.get(format + encoding);
    if (known === undefined) return this.#renew(format, encoding);
    if (this.#isCurrent(known)) return known.bytes;
    const ageMs = this.#tolerableAgeMs(known);
    if (ageMs < restMs) return known.bytes;
    const renewed = this.#renew(format, encoding);
    return ageMs < maxAgeMs ? known.bytes : renewed;
  }

  #isCurrent({ samples, atMs }: Body): boolean {
    const isSame = this.#records.update().revision === samples.revision;
    return isSame && Math.abs(this.#clock.now() - atMs) < ownFiguresMaxAgeMs;
  }

  /** `Infinity` for a body that may not be sent once something has changed. */
  #tolerableAgeMs({ samples, sizeBytes, atMs }: Body): number {
    const nowMs = this.#clock.now();
    const isTolerable = sizeBytes > smallBytes && nowMs < samples.staleAtMs;
    return isTolerable ? Math.abs(nowMs - atMs) : Infinity;
  }

  /** A body that was begun after the call, or is current when its turn comes. */
  #renew(format: ExpositionFormat, encoding: Encoding): Promise<Buffer<ArrayBuffer>> {
    const askedAt = this.#begun;
    const renewed = this.#queue.then(async () => {
      const known = this.#bodies.get(format + encoding);
      if (known !== undefined && (known.number > askedAt || this.#isCurrent(known))) {
        return known.bytes;
      }
      const body = await this.#render(format, encoding);
      this.#bodies.set(format + encoding, body);
      return body.bytes;
    });
    this.#queue = renewed.catch(() => undefined);
    return renewed;
  }

  async #render(format: ExpositionFormat, encoding: Encoding): Promise<Body> {
    const number = (this.#begun += 1);
    const samples = this.#records.update();
    const atMs = this.#clock.now();
    const own = Buffer.from((await registryText(this.#registry, format)) + endOf[format]);
    const parts = await this.#partsOf(samples, format);
    const sizeBytes = parts.reduce((sum, { plain }) => sum + plain.length, own.length);
    const bytes =
      encoding === 'identity'
        ? Buffer.concat([...parts.map(({ plain }) => plain), own], sizeBytes)
        : joinGzip(await Promise.all([...parts.map(({ zipped }) => zipped()), gzipPart(own)]));
    return { bytes, sizeBytes, samples, atMs, number };
  }

  async #partsOf(samples: RecordSamples, format: ExpositionFormat): Promise<readonly Part[]> {
    const known = this.#parts.get(format);
    const parts: Part[] = [];
    for (const [i, revision] of samples.familyRevisions.entries()) {
      let part = known?.[i];
      if (part?.revision !== revision) {
        part = createPart(revision, familyText(samples, i, format));
        await turn();
      }
      parts.push(part);
    }
    this.#parts.set(format, parts);
    return parts;
  }
}

function familyText(samples: RecordSamples, i: number, format: ExpositionFormat): string {
  const text = samples.textOf(i);
  const family = families[i];
  return text === '' || family === undefined ? '' : headerText(family, format) + text;
}

function createPart(revision: number, text: string): Part {
  const plain = Buffer.from(text);
  let zipped: Promise<GzipPart> | null = null;
  return { revision, plain, zipped: () => (zipped ??= gzipPart(plain)) };
}
