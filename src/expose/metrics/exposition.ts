/** What a scrape gets: the samples of all records and of the monitor itself, as bytes to send. */
import type { Registry } from 'prom-client';
import type { Clock } from '../../model/clock.ts';
import { deflateHead, gzipWithTail, type DeflatedHead } from './gzip-parts.ts';
import type { RecordTexts } from './record-texts.ts';
import { registryText } from './registry-text.ts';
import { endOf, type ExpositionFormat } from './text-format.ts';

export type Encoding = 'identity' | 'gzip';

/** How old the monitor's own figures may be; those of records are never older than the record. */
const ownFiguresMaxAgeMs = 1_000;

/** The samples of the records: long, and the same until a record changes. */
interface Head {
  readonly revision: number;
  readonly plain: Buffer;
  readonly deflated: () => Promise<DeflatedHead>;
}

interface Body {
  readonly head: Head;
  readonly atMs: number;
  readonly bytes: Promise<Buffer<ArrayBuffer>>;
}

/**
 * Keeps the bytes of each format and encoding that was asked for, and makes them anew only when
 * something changed and somebody asks; everyone who asks meanwhile waits for the same rendering.
 */
export class Exposition {
  readonly #records: RecordTexts;
  readonly #registry: Registry;
  readonly #clock: Clock;
  readonly #heads = new Map<ExpositionFormat, Head>();
  readonly #bodies = new Map<string, Body>();

  constructor(records: RecordTexts, registry: Registry, clock: Clock) {
    this.#records = records;
    this.#registry = registry;
    this.#clock = clock;
  }

  /** The whole exposition in the format, compressed as `encoding` says. */
  body(format: ExpositionFormat, encoding: Encoding): Promise<Buffer<ArrayBuffer>> {
    const head = this.#head(format);
    const nowMs = this.#clock.now();
    const key = `${format} ${encoding}`;
    const known = this.#bodies.get(key);
    if (known?.head === head && Math.abs(nowMs - known.atMs) < ownFiguresMaxAgeMs) {
      return known.bytes;
    }
    const bytes = this.#compose(head, format, encoding);
    this.#bodies.set(key, { head, atMs: nowMs, bytes });
    bytes.catch(() => this.#bodies.delete(key));
    return bytes;
  }

  #head(format: ExpositionFormat): Head {
    const revision = this.#records.update();
    const known = this.#heads.get(format);
    if (known?.revision === revision) return known;
    const plain = Buffer.from(this.#records.join(format));
    let deflated: Promise<DeflatedHead> | null = null;
    const head = { revision, plain, deflated: () => (deflated ??= deflateHead(plain)) };
    this.#heads.set(format, head);
    return head;
  }

  async #compose(
    head: Head,
    format: ExpositionFormat,
    encoding: Encoding,
  ): Promise<Buffer<ArrayBuffer>> {
    const tail = Buffer.from((await registryText(this.#registry, format)) + endOf[format]);
    if (encoding === 'identity') return Buffer.concat([head.plain, tail]);
    return gzipWithTail(await head.deflated(), tail);
  }
}
