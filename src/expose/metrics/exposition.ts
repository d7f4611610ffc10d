/** What a scrape gets: the samples of all records and of the monitor itself, as bytes to send. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Clock } from '../../model/clock.ts';
import type { RecordTexts } from './record-texts.ts';
import { registryText } from './registry-text.ts';
import { createRendition, type Encoding, type Rendered, type Rendition } from './rendition.ts';
import type { ExpositionFormat } from './text-format.ts';

/** How old the monitor's own figures may be. */
const ownFiguresMaxAgeMs = 1_000;
/** A longer exposition takes so long to make that it is not made anew for every change. */
const smallBytes = 512 * 1024;
/** How soon a long exposition is made anew when somebody asks. */
const restMs = 250;
/** How old a long exposition may be sent while the next one is being made. */
const maxAgeMs = 500;

interface Body extends Rendered {
  /** Of the samples of records. */
  readonly revision: number;
  readonly staleAtMs: number;
  readonly atMs: number;
  /** Counts the bodies in the order in which they were begun. */
  readonly number: number;
}

/** A format and encoding that was asked for. */
interface Outlet {
  readonly format: ExpositionFormat;
  readonly render: Rendition;
  body: Body | null;
}

/**
 * Keeps the bytes of each format and encoding that was asked for, and makes them anew only when
 * something changed and somebody asks: a piece at a time, so that the process stays responsive, and
 * one body at a time for everyone who asks.
 *
 * A body of up to 512 KiB, about 4,000 series, holds everything up to the moment it was asked for. A
 * longer one is made at most four times a second, and may be half a second old. Neither holds a gauge
 * that was past its time when somebody asked.
 */
export class Exposition {
  readonly #records: RecordTexts;
  readonly #registry: Registry;
  readonly #clock: Clock;
  readonly #outlets = new Map<string, Outlet>();
  #begun = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(records: RecordTexts, registry: Registry, clock: Clock) {
    this.#records = records;
    this.#registry = registry;
    this.#clock = clock;
  }

  /** The whole exposition in the format, compressed as `encoding` says. */
  async body(format: ExpositionFormat, encoding: Encoding): Promise<Buffer<ArrayBuffer>> {
    const outlet = this.#outletOf(format, encoding);
    const known = outlet.body;
    if (known === null) return this.#renew(outlet);
    if (this.#isCurrent(known)) return known.bytes;
    const ageMs = this.#tolerableAgeMs(known);
    if (ageMs < restMs) return known.bytes;
    const renewed = this.#renew(outlet);
    return ageMs < maxAgeMs ? known.bytes : renewed;
  }

  #outletOf(format: ExpositionFormat, encoding: Encoding): Outlet {
    const key = `${format} ${encoding}`;
    let outlet = this.#outlets.get(key);
    if (outlet === undefined) {
      outlet = { format, render: createRendition(format, encoding), body: null };
      this.#outlets.set(key, outlet);
    }
    return outlet;
  }

  #isCurrent({ revision, atMs }: Body): boolean {
    return (
      this.#records.isCurrent(revision) && Math.abs(this.#clock.now() - atMs) < ownFiguresMaxAgeMs
    );
  }

  /** `Infinity` for a body that may not be sent once something has changed. */
  #tolerableAgeMs({ staleAtMs, sizeBytes, atMs }: Body): number {
    const nowMs = this.#clock.now();
    return sizeBytes > smallBytes && nowMs < staleAtMs ? Math.abs(nowMs - atMs) : Infinity;
  }

  /** A body that was begun after the call, or is current when its turn comes. */
  #renew(outlet: Outlet): Promise<Buffer<ArrayBuffer>> {
    const askedAt = this.#begun;
    const renewed = this.#queue.then(async () => {
      const known = outlet.body;
      if (known !== null && (known.number > askedAt || this.#isCurrent(known))) return known.bytes;
      outlet.body = await this.#compose(outlet);
      return outlet.body.bytes;
    });
    this.#queue = renewed.catch(() => undefined);
    return renewed;
  }

  async #compose({ format, render }: Outlet): Promise<Body> {
    const number = (this.#begun += 1);
    const samples = await this.#records.update();
    const { revision, staleAtMs } = samples;
    const atMs = this.#clock.now();
    // Each of these takes a millisecond or more, and so does sending what comes of them.
    const ownText = await registryText(this.#registry, format);
    await turn();
    const rendered = await render(samples, ownText);
    await turn();
    return { ...rendered, revision, staleAtMs, atMs, number };
  }
}
