import { Pool, type Dispatcher } from 'undici';

/** Bounds what one endpoint costs in sockets; more than an account's requests in flight as a rule. */
const connectionsPerOrigin = 32;

/**
 * The keep-alive connections of the program, one pool for each endpoint's origin. Time limits are
 * the exchange's own, so the pools have none beyond that of connecting.
 */
export class ConnectionPools {
  readonly #pools = new Map<string, Pool>();

  /** @param origin such as `https://cvm.tencentcloudapi.com` */
  poolOf(origin: string): Dispatcher {
    let pool = this.#pools.get(origin);
    if (pool === undefined) {
      pool = new Pool(origin, {
        connections: connectionsPerOrigin,
        pipelining: 1,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      this.#pools.set(origin, pool);
    }
    return pool;
  }

  /** Ends every connection, those with a request in flight too. */
  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}
