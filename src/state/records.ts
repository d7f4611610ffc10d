import type { Step, Taken } from '../model/advance.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';

/** The records of a daemon, wherever they are stored. */
export interface Records {
  /** The number of failed writes. */
  readonly failures: number;
  /** The number of stored texts that hold no record. */
  readonly damaged: number;
  /** Why records cannot be stored at present; `null` while they can. */
  readonly problem: string | null;
  /**
   * Publishes a record for each of these targets, and for no other.
   *
   * @param apply called right after the records were published, before any poll can end
   */
  restore(targets: readonly Target[], apply?: () => void): Promise<void>;
  /**
   * Advances the record of a target, stores what counts, and publishes what may be shown. Never rejects.
   *
   * @param step gives `null` when the record stays as it is
   * @returns what may be shown; `null` when nothing was published
   */
  keep(target: Target, step: Step): Promise<Taken | null>;
  /** Begins what the records need from time to time. */
  start(): void;
  /** Forgets what it knows of targets that are gone. */
  forgetGone(): void;
  /** Stores the rest, and closes the storage. Never rejects. */
  close(): Promise<void>;
  /**
   * Logs what is not known to be stored when the daemon ends.
   *
   * @returns the records with something that counts
   */
  reportLost(): readonly TargetRecord[];
}
