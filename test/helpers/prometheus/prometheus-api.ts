/** Asks Prometheus. */
import { Samples } from '../samples.ts';

/** One series of an answer; values are texts, as Prometheus writes them. */
interface Series {
  readonly metric: Readonly<Record<string, string>>;
  /** Time in seconds and value; of an instant vector. */
  readonly value: readonly [number, string];
  /** The same for each sample; of a range vector. */
  readonly values: readonly (readonly [number, string])[];
}

type Answer =
  | { readonly status: 'success'; readonly data: { readonly result: readonly Series[] } }
  | { readonly status: 'error'; readonly error: string };

export class PrometheusApi {
  readonly #url: string;

  /** @param address its `host:port` */
  constructor(address: string) {
    this.#url = `http://${address}`;
  }

  /**
   * Evaluates an expression, by default as of now.
   *
   * @throws with what Prometheus says about it
   */
  async query(expr: string, atSeconds?: number): Promise<readonly Series[]> {
    const parameters = new URLSearchParams({ query: expr });
    if (atSeconds !== undefined) parameters.set('time', String(atSeconds));
    const response = await fetch(`${this.#url}/api/v1/query?${parameters.toString()}`);
    const answer = (await response.json()) as Answer;
    if (answer.status === 'error') throw new Error(`${expr}: ${answer.error}`);
    return answer.data.result;
  }

  /** The numbers of an instant vector, of all its series. */
  async numbers(expr: string, atSeconds?: number): Promise<readonly number[]> {
    const series = await this.query(expr, atSeconds);
    return series.map(({ value: [, value] }) => Number(value));
  }

  /** What Prometheus says about itself. */
  async ownMetrics(): Promise<Samples> {
    return new Samples(await (await fetch(`${this.#url}/metrics`)).text());
  }
}
