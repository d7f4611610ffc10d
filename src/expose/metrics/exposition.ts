/** The answer to a scrape: the samples of all records and of the monitor itself, as bytes. */
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createGzip } from 'node:zlib';
import { memoizeLast } from '../../model/memoize.ts';
import { answerOf, type Answer } from '../answers.ts';
import type { Evaluator } from '../evaluation.ts';
import { renderer } from '../renderings.ts';
import { apiFamilies } from './api-families.ts';
import type { MeasuredMetrics } from './process-metrics.ts';
import { acceptsGzip, formatFor } from './negotiate.ts';
import { recordSamples } from './record-samples.ts';
import type { Shard } from './shard.ts';
import { buildFamilies, clusterFamilies, statusFamilies } from './status-families.ts';
import { formats, group, piecesOf, samplesIn } from './text-format.ts';

/** Each scrape has one reader in a near network, so speed is more important than the best compression. */
const gzipOptions = { level: constants.Z_BEST_SPEED, chunkSize: 1024 * 1024 };

const defaultMinRenderMs = 1_000;
/** Two formats, each compressed or not. */
const forms = 4;

export interface ExpositionOptions extends Evaluator {
  readonly measured: Pick<MeasuredMetrics, 'text'>;
  /** The accounts whose series are shown. Defaults to all. */
  readonly shard?: Shard | undefined;
  /** Minimum time between two renderings. Defaults to 1 s. */
  readonly minRenderMs?: number | undefined;
}

/**
 * Answers scrapes. Renders the exposition when a scrape asks and the last rendering is older than a second. In between,
 * it is sent as it is. So every scrape is at most a second old, and the cost does not grow with the number of scrapes.
 * Rendering pauses often, and compression uses another thread, so that the process can respond.
 *
 * @returns gives the whole exposition in the form that the headers of a scrape ask for; at once if it is rendered
 */
export function exposition(options: ExpositionOptions) {
  const { measured, minRenderMs = defaultMinRenderMs, shard, view, evaluate } = options;
  const samplesOf = recordSamples(view.collectors, shard);
  // Not the clock of the service: it may be set back.
  const rendered = renderer<Answer>(minRenderMs, forms, () => performance.now());
  /** A scraper sends the same headers each time. */
  const formFor = memoizeLast((accept?: string, encoding?: string) => {
    const [format, isGzip] = [formatFor(accept), acceptsGzip(encoding)];
    return { format, isGzip, name: `${format} ${isGzip}` };
  });
  return (asked: IncomingHttpHeaders = {}): Answer | Promise<Answer> => {
    const { format, isGzip, name } = formFor(asked.accept, asked['accept-encoding']);
    return rendered(name, async () => {
      const present = await evaluate();
      const { areCountersHidden } = view.published;
      const grouped = await samplesOf(present, view.accounts(), areCountersHidden);
      const cluster = view.cluster();
      const ofMonitor = [
        ...samplesIn(buildFamilies, view.build),
        ...samplesIn(statusFamilies, view.status()),
        ...(cluster === null ? [] : samplesIn(clusterFamilies, cluster)),
        ...samplesIn(apiFamilies, view.api()),
      ];
      group(ofMonitor, grouped);
      const rest = (await measured.text(format)) + formats[format].end;
      const text = Readable.from(piecesOf(grouped, format, rest));
      // Without a compressor for the whole: what is not compressed yet never stands in memory at once.
      const body = await buffer(
        isGzip ? pipeline(text, createGzip(gzipOptions), () => undefined) : text,
      );
      const headers = {
        'Content-Type': formats[format].contentType,
        Vary: 'Accept, Accept-Encoding',
        ...(isGzip && { 'Content-Encoding': 'gzip' }),
      };
      return answerOf({ status: 200, headers, body });
    });
  };
}
