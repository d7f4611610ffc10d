/** The answer to a scrape: the samples of all records and of the monitor itself, as bytes. */
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createGzip } from 'node:zlib';
import { forLast } from '../../model/for-last.ts';
import type { Answer } from '../answers.ts';
import type { Source } from '../present.ts';
import { Renderings } from '../renderings.ts';
import type { MonitorMetrics } from './monitor-metrics.ts';
import { acceptsGzip, formatFor } from './negotiate.ts';
import { RecordSamples } from './record-samples.ts';
import type { Shard } from './shard.ts';
import { buildFamilies, clusterFamilies, statusFamilies } from './status-families.ts';
import {
  blockOf,
  formats,
  group,
  piecesOf,
  textsOf,
  type ExpositionFormat,
} from './text-format.ts';

/** Each scrape has one reader in a near network, so speed is more important than the best compression. */
const gzipOptions = { level: constants.Z_BEST_SPEED, chunkSize: 1024 * 1024 };

const defaultMinRenderMs = 1_000;
/** Two formats, each compressed or not. */
const forms = 4;

export interface ExpositionOptions extends Source {
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
  readonly #renderings: Renderings<Answer>;
  /** A scraper sends the same headers each time. */
  readonly #formFor = forLast((accept?: string, acceptEncoding?: string) => {
    const [format, isGzip] = [formatFor(accept), acceptsGzip(acceptEncoding)];
    return { format, isGzip, name: `${format} ${isGzip}` };
  });

  constructor(options: ExpositionOptions) {
    const { minRenderMs = defaultMinRenderMs, shard, view } = options;
    this.#options = options;
    this.#records = new RecordSamples(view.collectors, shard);
    // Not the clock of the service: it may be set back.
    this.#renderings = new Renderings(minRenderMs, forms, () => performance.now());
  }

  /** The whole exposition in the form that the headers of a scrape ask for; at once if it is rendered. */
  answer(headers: IncomingHttpHeaders = {}): Answer | Promise<Answer> {
    const { format, isGzip, name } = this.#formFor(headers.accept, headers['accept-encoding']);
    return this.#renderings.get(name, async () => {
      const pieces = Readable.from(await this.#pieces(format));
      // Without a compressor for the whole: what is not compressed yet never stands in memory at once.
      const body = await buffer(
        isGzip ? pipeline(pieces, createGzip(gzipOptions), () => undefined) : pieces,
      );
      const headers = {
        'Content-Type': formats[format].contentType,
        Vary: 'Accept, Accept-Encoding',
        ...(isGzip && { 'Content-Encoding': 'gzip' }),
      };
      return { status: 200, headers, body };
    });
  }

  async #pieces(format: ExpositionFormat): Promise<Iterable<string>> {
    const { metrics, view, watch } = this.#options;
    const grouped = await this.#records.of({
      ...(await watch()),
      accounts: view.accounts(),
      areCountersHidden: view.published.areCountersHidden,
    });
    const cluster = view.cluster();
    const ofMonitor = blockOf([
      ...textsOf(buildFamilies, view.build),
      ...textsOf(statusFamilies, view.status()),
      ...(cluster === null ? [] : textsOf(clusterFamilies, cluster)),
      ...metrics.texts(),
    ]);
    const rest = (await metrics.registryText(format)) + formats[format].end;
    group(ofMonitor, grouped);
    return piecesOf(grouped, format, rest);
  }
}
