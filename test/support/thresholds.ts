/** Thresholds for tests. */
import {
  everyQuota,
  type QuotaFilter,
  type ThresholdOverride,
  type ThresholdPair,
  type Thresholds,
} from '../../src/model/thresholds.ts';

/** The thresholds of a configuration that names none. */
export const defaultThresholds: Thresholds = {
  warning: { basisPoints: 2_000 },
  critical: { basisPoints: 1_000 },
  overrides: [],
};

/** An override, `null` for a mute. Without an end unless a test sets one. */
export function override(
  filter: Partial<QuotaFilter>,
  thresholds: ThresholdPair | null,
  untilMs = Infinity,
): ThresholdOverride {
  return {
    filter: { ...everyQuota, ...filter },
    thresholds,
    untilMs,
  };
}
