/** The HTTP side of a daemon: its pages, its JSON and its metrics. */
import type { Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { networkWarnings } from '../config/network-text.ts';
import { Exposition } from '../expose/metrics/exposition.ts';
import { recordFamilies } from '../expose/metrics/families.ts';
import { RecordTexts } from '../expose/metrics/record-texts.ts';
import type { MonitorView } from '../expose/monitor-view.ts';
import { createApp } from '../expose/app.ts';
import type { DaemonOptions } from './daemon-options.ts';

/** @param registry the metrics of the daemon itself */
export function createMonitorApp(
  view: MonitorView,
  registry: Registry,
  { logger, shard, web }: Pick<DaemonOptions, 'logger' | 'shard' | 'web'>,
) {
  const { clock, collectors, published } = view;
  const settings = () => ({
    staleAfterMs: view.staleAfterMs(),
    thresholds: view.thresholds(),
    accounts: view.accounts(),
    shard,
  });
  const exposition = new Exposition({
    texts: new RecordTexts(recordFamilies(collectors), collectors),
    published,
    settings,
    registry,
    clock,
    minRenderMs: web.limits?.minRenderMs,
  });
  const onFailure = (err: unknown, path: string) => {
    logger.error('request failed', { path, err });
  };
  return createApp(view, exposition, onFailure, () => web.protection?.hasUsers ?? false);
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
