/** The answer to a scrape: the samples of all records and of the monitor itself, as bytes. */
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Registry } from 'prom-client';
import type { Clock } from '../../model/clock.ts';
import type { PublishedRecords } from '../../model/published-records.ts';
import type { Encoding } from './negotiate.ts';
import { encodeFamilies, type RecordTexts, type SampleSettings } from './record-texts.ts';
import { registryText } from './registry-text.ts';
import { endOf, type ExpositionFormat, type FamilyTexts } from './text-format.ts';

const compress = promisify(gzip);

/** Each scrape has one reader in a near network, so speed is more important than the best compression. */
const gzipOptions = { level: constants.Z_BEST_SPEED, chunkSize: 1024 * 1024 };

const defaultMinRenderMs = 1_000;

export interface ExpositionOptions {
  readonly texts: RecordTexts;
  readonly published: PublishedRecords;
  readonly settings: () => SampleSettings;
  /** The metrics of the monitor itself. */
  readonly registry: Registry;
  readonly clock: Clock;
  /** Minimum time between two renderings. Defaults to 1 s. */
  readonly minRenderMs?: number | undefined;
}

/**
 * Renders the exposition when a scrape asks and the last rendering is older than a second. In between, it is sent as
 * it is. So every scrape is at most a second old, and the cost does not grow with the number of scrapes. Rendering
 * pauses often, and compression uses another thread, so that the process can respond.
 */
export class Exposition {
  readonly #options: ExpositionOptions;
  /** The families of the last rendering; their body by format and encoding, made when one asks. */
  #families: Promise<readonly FamilyTexts[]> | null = null;
  readonly #bodies = new Map<string, Promise<Buffer>>();
  #begunAtMs = 0;
  #isRendering = false;

  constructor(options: ExpositionOptions) {
    this.#options = options;
  }

  /** The whole exposition in the format, compressed as `encoding` says. */
  body(format: ExpositionFormat, encoding: Encoding): Promise<Buffer> {
    const families = this.#present();
    const key = `${format} ${encoding}`;
    let body = this.#bodies.get(key);
    if (body === undefined) {
      body =
        encoding === 'identity'
          ? this.#encode(families, format)
          : this.body(format, 'identity').then((plain) => compress(plain, gzipOptions));
      this.#bodies.set(key, body);
    }
    return body;
  }

  #present(): Promise<readonly FamilyTexts[]> {
    const { clock, minRenderMs = defaultMinRenderMs, published, settings, texts } = this.#options;
    // Not the clock of the service: it may be set back.
    const nowMs = performance.now();
    const isRecent = nowMs - this.#begunAtMs < minRenderMs || this.#isRendering;
    if (this.#families !== null && isRecent) return this.#families;
    this.#begunAtMs = nowMs;
    this.#bodies.clear();
    this.#isRendering = true;
    this.#families = Promise.resolve()
      .then(() => texts.at(published, settings(), clock.now()))
      .finally(() => {
        this.#isRendering = false;
      });
    return this.#families;
  }

  async #encode(
    families: Promise<readonly FamilyTexts[]>,
    format: ExpositionFormat,
  ): Promise<Buffer> {
    const parts = await encodeFamilies(await families, format);
    const ownText = await registryText(this.#options.registry, format);
    return Buffer.concat([...parts, Buffer.from(ownText + endOf[format])]);
  }
}
