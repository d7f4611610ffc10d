/** How the answers of some kinds add targets to the plan. A part of the contract of a collector. */
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';

/** How a kind finds targets of another kind. */
export interface Discovery<R extends TargetRecord = TargetRecord> {
  /**
   * The targets that the answers found. They are planned like configured ones, and their polls follow the polls
   * of the target that found them.
   */
  readonly finds: (record: R) => readonly Target[];
  /** The requests of a target for its polls and for the found targets, as a clause. */
  readonly requests: string;
}

/** How a kind finds the regions of an account. */
export interface RegionDiscovery<T extends Target = Target, R extends TargetRecord = TargetRecord> {
  /** The target whose answers find the regions of an account. */
  readonly target: (account: string) => T;
  /** The names of the regions that are known to be available. */
  readonly regions: (record: R) => readonly string[];
}
