/** Sends queries to Prometheus. */
import { Samples } from '../exposition.ts';

/** One series of an answer. Values are texts, as Prometheus writes them. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  /** Time in seconds and value, for an instant vector. */
  readonly value: readonly [number, string];
  /** Time in seconds and value of each sample, for a range vector. */
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
   * Evaluates an expression. The time defaults to now.
   *
   * @throws with the message of Prometheus
   */
  async query(expr: string, atSeconds?: number): Promise<readonly Series[]> {
    const parameters = new URLSearchParams({ query: expr });
    if (atSeconds !== undefined) parameters.set('time', String(atSeconds));
    const response = await fetch(`${this.#url}/api/v1/query?${parameters.toString()}`);
    const answer = (await response.json()) as Answer;
    if (answer.status === 'error') throw new Error(`${expr}: ${answer.error}`);
    return answer.data.result;
  }

  /** The values of all series of an instant vector. */
  async numbers(expr: string, atSeconds?: number): Promise<readonly number[]> {
    const series = await this.query(expr, atSeconds);
    return series.map(({ value: [, value] }) => Number(value));
  }

  /** The status of Prometheus itself. */
  async ownMetrics(): Promise<Samples> {
    return new Samples(await (await fetch(`${this.#url}/metrics`)).text());
  }
}
