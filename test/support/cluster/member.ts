/** A daemon of a cluster, with a network of its own to Redis. */
import { onTestFinished } from 'vitest';
import type { ConfigInput } from '../monitor.ts';
import { spawnDaemon, type Daemon } from '../program.ts';
import { temporaryDirectory } from '../directories.ts';
import { Samples } from '../samples.ts';
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts';

const shiftedClock = new URL('../fixtures/process/shifted-clock.js', import.meta.url).href;
/** A scrape of a suspended daemon is given up. */
const scrapeTimeoutMs = 2_500;

export interface MemberOptions {
  readonly redisPort: number;
  /** @param redisPort the port of the network to Redis */
  readonly config: (redisPort: number) => ConfigInput;
  readonly env: Readonly<Record<string, string>>;
  /** How far its clock is ahead. Defaults to 0. */
  readonly clockAheadMs?: number;
}

export class ClusterMember {
  readonly network: TcpProxy;
  readonly #options: MemberOptions;
  readonly #directory: string;
  #daemon: Daemon | null = null;
  #url: string | null = null;

  private constructor(options: MemberOptions, network: TcpProxy, directory: string) {
    this.#options = options;
    this.network = network;
    this.#directory = directory;
  }

  /** A daemon that is not started yet. It is killed when the test has finished. */
  static async create(options: MemberOptions): Promise<ClusterMember> {
    const network = await startTcpProxy(options.redisPort);
    const member = new ClusterMember(options, network, await temporaryDirectory());
    onTestFinished(async () => {
      await member.kill();
    });
    return member;
  }

  get daemon(): Daemon {
    if (this.#daemon === null) throw new Error('this daemon was not started');
    return this.#daemon;
  }

  /** The address of the daemon while it serves. */
  get url(): string | null {
    return this.#url;
  }

  /** How the members of the cluster name it. */
  get name(): string {
    return String(this.daemon.pid);
  }

  /** The configuration that it starts with. */
  get config(): ConfigInput {
    return this.#options.config(this.network.port);
  }

  /** Resolves when the daemon serves. */
  async start(): Promise<void> {
    this.#daemon = await spawnDaemon({
      config: this.config,
      directory: this.#directory,
      env: { ...this.#options.env, CLOCK_AHEAD_MS: String(this.#options.clockAheadMs ?? 0) },
      nodeFlags: [`--import=${shiftedClock}`],
    });
    this.#url = await this.#daemon.url();
  }

  async kill(): Promise<void> {
    this.#url = null;
    if (this.#daemon === null) return;
    this.#daemon.signal('SIGKILL');
    await this.#daemon.exited;
  }

  suspend(): void {
    this.daemon.signal('SIGSTOP');
  }

  resume(): void {
    this.daemon.signal('SIGCONT');
  }

  /** `null` when it does not answer in time. */
  async scrape(): Promise<Samples | null> {
    if (this.#url === null) return null;
    try {
      const signal = AbortSignal.timeout(scrapeTimeoutMs);
      const response = await fetch(`${this.#url}/metrics`, { signal });
      return new Samples(await response.text());
    } catch {
      return null;
    }
  }
}
