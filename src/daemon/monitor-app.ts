/** The HTTP side of a daemon: its pages, its JSON and its metrics. */
import type { Config } from '../config/config.ts';
import { networkWarnings } from '../config/network-text.ts';
import { Exposition } from '../expose/metrics/exposition.ts';
import type { MonitorMetrics } from '../expose/metrics/monitor-metrics.ts';
import type { MonitorView } from '../expose/monitor-view.ts';
import { createApp } from '../expose/app.ts';
import { sourceOf } from '../expose/present.ts';
import type { DaemonOptions } from './daemon-options.ts';

/** @param metrics those of the daemon itself */
export function createMonitorApp(
  view: MonitorView,
  metrics: MonitorMetrics,
  { logger, shard, web }: Pick<DaemonOptions, 'logger' | 'shard' | 'web'>,
) {
  const source = sourceOf(view);
  const { minRenderMs } = web;
  const exposition = new Exposition({ ...source, metrics, shard, minRenderMs });
  const onFailure = (err: unknown, path: string) => {
    logger.error('request failed', { path, err });
  };
  return createApp(source, exposition, onFailure, () => web.protection?.hasUsers ?? false);
}

/** What pages show of the present configuration. */
export function settingsOf(
  present: () => Config,
): Pick<MonitorView, 'staleAfterMs' | 'thresholds' | 'links' | 'accounts' | 'warnings'> {
  return {
    staleAfterMs: () => present().poll.staleAfterMs,
    thresholds: () => present().thresholds,
    links: () => present().links,
    accounts: () => present().accounts,
    warnings: () => networkWarnings(present()),
  };
}
