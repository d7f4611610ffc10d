/** The lines of an exposition for each target. */

export interface TargetLines {
  /** All lines except {@link volatile} ones and counts of faults, sorted. */
  readonly state: readonly string[];
  /** The lines of failures and anomalies, from the label on: `code="Timeout"} 1`. */
  readonly faults: readonly string[];
  readonly up: number;
  readonly polls: number;
}

/** Metrics that change with every poll. */
const volatile =
  /^cvm_monitor_target_(last_poll_timestamp|last_success_timestamp|last_poll_duration)_seconds\{/;

/** Lines by target, such as `production/ap-guangzhou/quotas` or `production/ap-guangzhou/lt-b8v1kcyq`. */
export function linesByTarget(text: string): Map<string, TargetLines> {
  const lines = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const target = targetOf(line);
    if (target !== null) lines.set(target, [...(lines.get(target) ?? []), line]);
  }
  return new Map([...lines].map(([target, own]) => [target, describe(own)]));
}

function targetOf(line: string): string | null {
  const label = (name: string) => new RegExp(`[{,]${name}="([^"]*)"`).exec(line)?.[1];
  const region = label('region');
  if (line.startsWith('#') || region === undefined) return null;
  return [label('account'), region, label('template_id') ?? 'quotas'].join('/');
}

function describe(lines: readonly string[]): TargetLines {
  const valueOf = (name: string) =>
    Number(lines.find((line) => line.startsWith(`${name}{`))?.split('} ')[1]);
  const isFault = (line: string) => /_(poll_failures|response_anomalies)_total\{/.test(line);
  const isCounted = (line: string) => /^cvm_monitor_(target_up|polls_total)\{/.test(line);
  return {
    state: lines
      .filter((line) => !volatile.test(line) && !isFault(line) && !isCounted(line))
      .toSorted(),
    faults: lines
      .filter(isFault)
      .map((line) => /(?:code|kind)="[^"]*"\} \d+$/.exec(line)?.[0] ?? line),
    up: valueOf('cvm_monitor_target_up'),
    polls: valueOf('cvm_monitor_polls_total'),
  };
}
