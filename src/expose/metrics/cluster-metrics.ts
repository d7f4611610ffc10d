/** The metrics of a daemon that shares its accounts with others. */
import type { Registry } from 'prom-client';
import { configurationsOf, membersHeard, type ClusterStatus } from '../../model/cluster-status.ts';
import { registerOn } from './status-metrics.ts';

/** @param status read at each exposition */
export function registerCluster(registry: Registry, status: () => ClusterStatus): void {
  const register = registerOn(registry);
  register(
    'cvm_monitor_cluster_members',
    'Daemons of the cluster that were heard of within the time of the lock.',
    () => membersHeard(status()).length,
  );
  register(
    'cvm_monitor_cluster_configurations',
    'How many different configurations these daemons have; 1 is right.',
    () => configurationsOf(membersHeard(status())),
  );
  register(
    'cvm_monitor_cluster_oldest_waiting_cycle_timestamp_seconds',
    'When the oldest cycle was due that no daemon has begun; absent when none waits.',
    () => {
      const waiting = status().accounts.flatMap(({ waitingSinceMs }) => waitingSinceMs ?? []);
      return waiting.length === 0 ? null : Math.min(...waiting) / 1_000;
    },
  );
  register(
    'cvm_monitor_cluster_store_up',
    'Whether Redis could be read and written the last time.',
    () => Number(status().problem === null),
  );
  register(
    'cvm_monitor_cluster_cycles_taken_over_total',
    'Cycles that this daemon took over from another one that did not end them.',
    () => status().takenOver,
  );
}
