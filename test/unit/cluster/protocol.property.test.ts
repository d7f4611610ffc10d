/** The protocol of a cluster, driven through any order of events against a model. The soak makes 120,000 runs. */
import { it } from 'vitest';
import { holds, worlds } from '../../support/cluster-model/scenarios.ts';
import { fuzzTimeoutMs } from '../../support/fuzz.ts';

it.each(Object.entries(worlds))(
  '%s count every change once, show no counter that falls, keep the rate, and run every cycle',
  (_, [runs, scenarios]) => holds(scenarios, runs / 20),
  fuzzTimeoutMs,
);
