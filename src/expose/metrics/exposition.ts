/** The answer to a scrape: the samples of all records and of the monitor itself, as bytes. */
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Registry } from 'prom-client';
import type { Clock } from '../../model/clock.ts';
import type { PublishedRecords } from '../../model/published-records.ts';
import { Renderings } from '../renderings.ts';
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

/** A rendering, and its bodies by format and encoding, made when one asks. */
interface Rendered {
  readonly families: readonly FamilyTexts[];
  readonly bodies: Map<string, Promise<Buffer>>;
}

/**
 * Renders the exposition when a scrape asks and the last rendering is older than a second. In between, it is sent as
 * it is. So every scrape is at most a second old, and the cost does not grow with the number of scrapes. Rendering
 * pauses often, and compression uses another thread, so that the process can respond.
 */
export class Exposition {
  readonly #options: ExpositionOptions;
  readonly #renderings: Renderings<Rendered>;

  constructor(options: ExpositionOptions) {
    this.#options = options;
    // Not the clock of the service: it may be set back.
    const now = () => performance.now();
    this.#renderings = new Renderings(options.minRenderMs ?? defaultMinRenderMs, 1, now);
  }

  /** The whole exposition in the format, compressed as `encoding` says. */
  async body(format: ExpositionFormat, encoding: Encoding): Promise<Buffer> {
    const { clock, published, settings, texts } = this.#options;
    const rendered = await this.#renderings.get('', async () => ({
      families: await texts.at(published, settings(), clock.now()),
      bodies: new Map(),
    }));
    return this.#body(rendered, format, encoding);
  }

  #body(rendered: Rendered, format: ExpositionFormat, encoding: Encoding): Promise<Buffer> {
    const key = `${format} ${encoding}`;
    const body =
      rendered.bodies.get(key) ??
      (encoding === 'identity'
        ? this.#encode(rendered.families, format)
        : this.#body(rendered, format, 'identity').then((plain) => compress(plain, gzipOptions)));
    rendered.bodies.set(key, body);
    return body;
  }

  async #encode(families: readonly FamilyTexts[], format: ExpositionFormat): Promise<Buffer> {
    const parts = await encodeFamilies(families, format);
    const ownText = await registryText(this.#options.registry, format);
    return Buffer.concat([...parts, Buffer.from(ownText + endOf[format])]);
  }
}
