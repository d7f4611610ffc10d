/** The answer to a scrape: the samples of all records and of the monitor itself, as bytes. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Clock } from '../../model/clock.ts';
import type { SampleBlocks } from './sample-blocks.ts';
import { registryText } from './registry-text.ts';
import type { ExpositionFormat } from './text-format.ts';
import { createVariant, type Encoding, type Rendered, type Variant } from './variant.ts';

/** Maximum age of the monitor's own metrics. */
const ownMetricsMaxAgeMs = 1_000;
/** A longer exposition is slow to render, so it is not rendered at every change. */
const smallBytes = 512 * 1024;
/** Minimum time between two renderings of a long exposition. */
const minRenderIntervalMs = 250;
/** Maximum age of a long exposition that is sent while the next one is rendered. */
const maxAgeMs = 500;

interface Body extends Rendered {
  /** Of the samples of records. */
  readonly revision: number;
  readonly expiresAtMs: number;
  readonly atMs: number;
  /** The number of the body, in the order in which rendering began. */
  readonly number: number;
}

/** A requested format and encoding, and its last body. */
interface Kept {
  readonly format: ExpositionFormat;
  readonly render: Variant;
  body: Body | null;
}

/**
 * Keeps the bytes of each requested variant (format and encoding). It renders a variant only when something
 * changed and a scrape asks. It renders one variant at a time, in pieces, so that the process can respond.
 *
 * A body of up to 512 KiB, about 4,000 series, contains everything up to the time of the scrape. A longer body
 * is rendered at most four times a second, and may be half a second old. Neither contains a gauge that was
 * stale at the time of the scrape, or the threshold of an override that had ended. An exact exposition contains
 * everything up to the time of the scrape, whatever its length: where several daemons answer, one of them must
 * not answer what is older than the last answer of another one.
 */
export class Exposition {
  readonly #records: SampleBlocks;
  readonly #registry: Registry;
  readonly #clock: Clock;
  readonly #isExact: boolean;
  readonly #variants = new Map<string, Kept>();
  #begun = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(records: SampleBlocks, registry: Registry, clock: Clock, isExact = false) {
    this.#records = records;
    this.#registry = registry;
    this.#clock = clock;
    this.#isExact = isExact;
  }

  /** The whole exposition in the format, compressed as `encoding` says. */
  async body(format: ExpositionFormat, encoding: Encoding): Promise<Buffer<ArrayBuffer>> {
    const kept = this.#variantOf(format, encoding);
    const { body } = kept;
    if (body === null) return this.#renew(kept);
    if (this.#isCurrent(body)) return body.bytes;
    const ageMs = this.#tolerableAgeMs(body);
    if (ageMs < minRenderIntervalMs) return body.bytes;
    const renewed = this.#renew(kept);
    return ageMs < maxAgeMs ? body.bytes : renewed;
  }

  #variantOf(format: ExpositionFormat, encoding: Encoding): Kept {
    const key = `${format} ${encoding}`;
    let kept = this.#variants.get(key);
    if (kept === undefined) {
      kept = { format, render: createVariant(format, encoding), body: null };
      this.#variants.set(key, kept);
    }
    return kept;
  }

  #isCurrent({ revision, atMs }: Body): boolean {
    return (
      this.#records.isCurrent(revision) && Math.abs(this.#clock.now() - atMs) < ownMetricsMaxAgeMs
    );
  }

  /** `Infinity` for a body that must not be sent after a change. */
  #tolerableAgeMs({ expiresAtMs, sizeBytes, atMs }: Body): number {
    const nowMs = this.#clock.now();
    const mayBeOld = sizeBytes > smallBytes && nowMs < expiresAtMs && !this.#isExact;
    return mayBeOld ? Math.abs(nowMs - atMs) : Infinity;
  }

  /** A body with a rendering that begins after the call, or one that is still up to date at its turn. */
  #renew(kept: Kept): Promise<Buffer<ArrayBuffer>> {
    const askedAt = this.#begun;
    const renewed = this.#queue.then(async () => {
      const { body } = kept;
      if (body !== null && (body.number > askedAt || this.#isCurrent(body))) return body.bytes;
      kept.body = await this.#compose(kept);
      return kept.body.bytes;
    });
    this.#queue = renewed.catch(() => undefined);
    return renewed;
  }

  async #compose({ format, render }: Kept): Promise<Body> {
    const number = (this.#begun += 1);
    const samples = await this.#records.update();
    const { revision, expiresAtMs } = samples;
    const atMs = this.#clock.now();
    // Each of these steps takes a millisecond or more, and so does sending the result.
    const ownText = await registryText(this.#registry, format);
    await nextTurn();
    const rendered = await render(samples, ownText);
    await nextTurn();
    return { ...rendered, revision, expiresAtMs, atMs, number };
  }
}
