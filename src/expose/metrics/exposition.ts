/** The answer to a scrape of `/metrics`, which `app.ts` routes here: the samples of all records and of the monitor as bytes. */
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createGzip } from 'node:zlib';
import { memoizeLast } from '../../model/memoize.ts';
import { textAnswer, type Answer, type AppRequest, type RenderQueue } from '../answers.ts';
import type { Evaluator } from '../evaluation.ts';
import { monitorSamples, type ProcessMetrics } from './monitor-metrics.ts';
import { acceptsGzip, formatFor } from './negotiate.ts';
import { createRecordSamples, type Shard } from './record-samples.ts';
import { formats, addToFamilies, encodePieces } from './text-format.ts';

/** A scraper is near, and each body is sent to few of them: speed is more important than the best compression. */
const gzipOptions = { level: constants.Z_BEST_SPEED, chunkSize: 1024 * 1024 };

export interface ScrapeOptions {
  readonly evaluator: Evaluator;
  readonly processMetrics: Pick<ProcessMetrics, 'text'>;
  /** The accounts whose series are shown. Defaults to all. */
  readonly shard?: Shard | undefined;
  readonly queue: RenderQueue;
}

/**
 * Creates the handler of `/metrics`. The queue renders each of four variants (two formats, compressed or not) at most once a
 * second, so the cost does not grow with the number of scrapes. Rendering yields often, and another thread compresses, so
 * that the process can respond.
 *
 * @returns a function that gives the variant that the headers of a scrape ask for; without a promise if it is rendered
 */
export function createScrapeHandler({ evaluator, processMetrics, queue, shard }: ScrapeOptions) {
  const { view } = evaluator;
  const recordSamples = createRecordSamples(view.collectors, shard);
  /** Memoized, as a scraper sends the same headers each time. */
  const variantFor = memoizeLast((accept?: string, encoding?: string) => {
    const [format, isGzip] = [formatFor(accept), acceptsGzip(encoding)];
    return { format, isGzip, name: `${format} ${isGzip}` };
  });
  return ({ headers, socket }: Omit<AppRequest, 'method'>): Answer | Promise<Answer> => {
    const { format, isGzip, name } = variantFor(headers.accept, headers['accept-encoding']);
    return queue.ask(name, socket, async () => {
      const evaluation = await evaluator.evaluate();
      // True in a cluster while Redis cannot be read. Read after the evaluation, which reads Redis.
      const { areCountersHidden } = view.published;
      const samples = await recordSamples(evaluation, view.accounts(), areCountersHidden);
      addToFamilies(monitorSamples(view), samples);
      const end = (await processMetrics.text(format)) + formats[format].end;
      const text = Readable.from(encodePieces(samples, format, end));
      // Compressed piece by piece: the whole text is never in memory at once.
      const body = await buffer(
        isGzip ? pipeline(text, createGzip(gzipOptions), () => undefined) : text,
      );
      return textAnswer(200, body, {
        'Content-Type': formats[format].contentType,
        Vary: 'Accept, Accept-Encoding',
        ...(isGzip && { 'Content-Encoding': 'gzip' }),
      });
    });
  };
}
