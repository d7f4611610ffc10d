/** Metric families whose HELP texts are in `help.json`, in the groups of their sources. */
import type { ClusterStatus } from '../../model/cluster-status.ts';
import { family, type FamilyOf, type Samples } from '../../model/metric-family.ts';
import type { ApiStatus, MonitorStatus } from '../../model/monitor-status.ts';
import type { EvaluatedLaunch } from '../../model/launches/judge-region.ts';
import { english } from '../../model/texts/texts.ts';
import type { EvaluatedRecord } from '../evaluation.ts';
import type { MonitorView } from '../monitor-view.ts';
import help from './help.json' with { type: 'json' };

/** From what the families of a group take their samples. */
interface Sources {
  readonly freshness: EvaluatedRecord;
  readonly quota: EvaluatedRecord;
  readonly launch: EvaluatedLaunch;
  readonly group: EvaluatedLaunch;
  readonly program: Pick<MonitorView, 'build' | 'links' | 'statusPage'>;
  readonly status: MonitorStatus;
  readonly cluster: ClusterStatus;
  readonly api: ApiStatus;
}

/**
 * The families of a group, in the order of the exposition. The compiler finds one without HELP, and a HELP without family.
 *
 * @param values what stands in the HELP texts in place of names in braces
 */
export function describedFamilies<Group extends keyof Sources>(
  group: Group,
  rows: Readonly<Record<keyof (typeof help)[Group], (source: Sources[Group]) => Samples>>,
  values: Readonly<Record<string, string>> = {},
): readonly FamilyOf<Sources[Group]>[] {
  const texts: Readonly<Record<string, string>> = help[group];
  return Object.entries<(source: Sources[Group]) => Samples>(rows).map(([name, samplesOf]) =>
    family(name, english.word(texts[name] ?? '', values), samplesOf),
  );
}
