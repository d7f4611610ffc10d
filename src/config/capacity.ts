/** How many daemons a plan needs. The figures are measured; docs/scaling.md explains them. */
import type { Config } from './config.ts';
import type { CycleEstimate } from './cycle-estimate.ts';

/** What things cost, rounded up. The rows of docs/benchmarks.md with 10,000 targets, and docs/scaling.md. */
export const costs = {
  /** Processor time of a request, and of showing its result in the next scrape. */
  requestCpuSeconds: 0.002,
  /** What a cluster needs more for each request, and for each cycle of an account, over all daemons. */
  sharedRequestCpuSeconds: 0.002,
  sharedCycleCpuSeconds: 0.003,
  /** Memory of a daemon without targets. */
  daemonMiB: 100,
  /** Memory of a target in each daemon that shows it. */
  targetMiB: 0.05,
} as const;

/** The part of its one core that a daemon may use on average: a cycle needs it all at once. */
const usableShare = 0.5;

export interface DaemonEstimate {
  /** How many daemons the load needs. One of a cluster may fail if there is one more. */
  readonly daemons: number;
  /** Processor time of all daemons together in a second, in seconds. */
  readonly cores: number;
  /** Memory of each daemon: each of them shows all targets. */
  readonly memoryMiB: number;
}

/**
 * Estimates from the processor time of a cycle and the interval of the schedule. The rate plays no part: it is
 * that of an account, and more daemons do not raise it.
 */
export function estimateDaemons(
  { accounts, cluster }: Pick<Config, 'accounts' | 'cluster'>,
  targets: number,
  { requests, shortestIntervalSeconds }: CycleEstimate,
): DaemonEstimate {
  const memoryMiB = costs.daemonMiB + targets * costs.targetMiB;
  const ofOne = (requests * costs.requestCpuSeconds) / shortestIntervalSeconds;
  if (cluster === null && ofOne <= usableShare) return { daemons: 1, cores: ofOne, memoryMiB };
  const sharingCpuSeconds =
    requests * costs.sharedRequestCpuSeconds + accounts.length * costs.sharedCycleCpuSeconds;
  const cores = ofOne + sharingCpuSeconds / shortestIntervalSeconds;
  // A daemon without an account would do nothing.
  const daemons = Math.min(Math.ceil(cores / usableShare), accounts.length);
  return { daemons: Math.max(1, daemons), cores, memoryMiB };
}
