/** What is watched, at one time: metrics, page and JSON are projections of it. */
import { mapInTurns } from '../model/async.ts';
import type { LaunchRow } from '../model/launches.ts';
import { isFresh } from '../model/record.ts';
import { Remembered } from '../model/remembered.ts';
import { thresholdsAt } from '../model/thresholds.ts';
import { launchesOf } from './launches.ts';
import type { MonitorView } from './monitor-view.ts';
import { watch, type Watched } from './watched.ts';

export interface Present {
  readonly nowMs: number;
  /** In the order of the configuration. */
  readonly targets: readonly Watched[];
  readonly launches: readonly LaunchRow[];
}

/** What answers are made of. */
export interface Source {
  readonly view: MonitorView;
  /** Evaluates every published record now, also those that other daemons wrote. */
  readonly watch: () => Promise<Present>;
}

/**
 * What was found for a record is the same object until the record, its freshness or its thresholds change, and so are
 * the launches until one of these objects changes.
 */
export function sourceOf(view: MonitorView): Source {
  const ofRecords = new Remembered<Watched>();
  const ofLaunches = new Remembered<readonly LaunchRow[]>();
  const present = async () => {
    await view.refresh?.();
    const nowMs = view.clock.now();
    const { collectors } = view;
    const staleAfterMs = view.staleAfterMs();
    const configured = view.thresholds();
    const thresholds = thresholdsAt(configured, nowMs);
    const targets = await mapInTurns(view.published.all(), (record) => {
      const isRecent = isFresh(record, nowMs, staleAfterMs);
      const basis = [isRecent, staleAfterMs, configured, thresholds.overrides.length];
      const options = { collectors, staleAfterMs, thresholds, nowMs };
      return ofRecords.of(record, basis, () => watch(record, options));
    });
    const launches = ofLaunches.of(view, targets, () => launchesOf(targets, thresholds));
    return { nowMs, targets, launches };
  };
  return { view, watch: present };
}
