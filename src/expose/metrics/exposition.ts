/** The answer to a scrape: the samples of all records and of the monitor itself, as bytes. */
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createGzip } from 'node:zlib';
import { thresholdsAt } from '../../model/thresholds.ts';
import type { MonitorView } from '../monitor-view.ts';
import { Renderings } from '../renderings.ts';
import type { Watch } from '../watched.ts';
import type { MonitorMetrics } from './monitor-metrics.ts';
import type { Encoding } from './negotiate.ts';
import { RecordSamples } from './record-samples.ts';
import type { Shard } from './shard.ts';
import { buildFamilies, clusterFamilies, statusFamilies } from './status-families.ts';
import { blockOf, encodeBlocks, endOf, textsOf, type ExpositionFormat } from './text-format.ts';

/** Each scrape has one reader in a near network, so speed is more important than the best compression. */
const gzipOptions = { level: constants.Z_BEST_SPEED, chunkSize: 1024 * 1024 };

const defaultMinRenderMs = 1_000;
/** Two formats in two encodings. */
const variants = 4;

export interface ExpositionOptions {
  readonly view: MonitorView;
  readonly watch: Watch;
  readonly metrics: Pick<MonitorMetrics, 'texts' | 'registryText'>;
  /** The accounts whose series are shown. Defaults to all. */
  readonly shard?: Shard | undefined;
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
  readonly #records: RecordSamples;
  readonly #renderings: Renderings<Buffer>;

  constructor(options: ExpositionOptions) {
    const { minRenderMs = defaultMinRenderMs, shard, view } = options;
    this.#options = options;
    this.#records = new RecordSamples(view.collectors, shard);
    // Not the clock of the service: it may be set back.
    this.#renderings = new Renderings(minRenderMs, variants, () => performance.now());
  }

  /** The whole exposition in the format, compressed as `encoding` says. */
  body(format: ExpositionFormat, encoding: Encoding): Promise<Buffer> {
    return this.#renderings.get(`${format} ${encoding}`, async () => {
      const pieces = Readable.from(await this.#pieces(format));
      // Without a compressor for the whole: what is not compressed yet never stands in memory at once.
      return buffer(
        encoding === 'gzip' ? pipeline(pieces, createGzip(gzipOptions), () => undefined) : pieces,
      );
    });
  }

  async #pieces(format: ExpositionFormat): Promise<Iterable<Buffer>> {
    const { metrics, view, watch } = this.#options;
    const nowMs = view.clock.now();
    const records = await this.#records.of({
      watched: await watch(nowMs),
      accounts: view.accounts(),
      thresholds: thresholdsAt(view.thresholds(), nowMs),
      areCountersHidden: view.published.areCountersHidden,
    });
    const cluster = view.cluster();
    const ofMonitor = blockOf([
      ...textsOf(buildFamilies, view.build),
      ...textsOf(statusFamilies, view.status()),
      ...(cluster === null ? [] : textsOf(clusterFamilies, cluster)),
      ...metrics.texts(),
    ]);
    const end = (await metrics.registryText(format)) + endOf[format];
    return (function* pieces() {
      yield* encodeBlocks([...records, ofMonitor], format);
      yield Buffer.from(end);
    })();
  }
}
