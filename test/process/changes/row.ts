import type { Stage } from './stage.ts';

/** What happens at the service between two polls, and what the second of them makes of it. */
export interface Step {
  readonly act: (stage: Stage) => void;
  /** The changes it finds, such as `version-created 6` or `default-version-changed 2 → 5`. */
  readonly changes: readonly string[];
  /**
   * Series that differ from before or matter: value by short name, `null` for an absent one. A
   * template's are named without `cvm_launch_template_`, a quota's as `limit postpaid`.
   */
  readonly series: Readonly<Record<string, number | null>>;
  /** The labels of failures and anomalies so far, such as `kind="no-default"} 1`. */
  readonly faults?: readonly string[];
}

/** A row of the table. */
export interface Row {
  readonly name: string;
  readonly steps: readonly Step[];
}
