/** What is known of a launch template. */
import type { Inventory } from '../../model/inventory.ts';
import { neverPolled, type TargetRecord } from '../../model/record.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { LaunchTemplateTarget } from './target.ts';

/** What is known of the default version's data; absent fields are empty strings. */
export interface DefaultVersion {
  readonly version: number;
  readonly imageId: string;
  readonly instanceType: string;
  readonly chargeType: string;
}

/** What the service last said about a launch template. */
export interface LaunchTemplateSnapshot extends Snapshot {
  readonly kind: 'launch-template';
  /** Every version number that could be read, ascending, each once. */
  readonly versions: readonly number[];
  /** How many further versions there are whose number could not be read. */
  readonly unidentified: number;
  /** `null` when no version or several are marked as the default, or when an unreadable row may be marked. */
  readonly defaultVersion: DefaultVersion | null;
}

export interface LaunchTemplateRecord extends TargetRecord {
  readonly kind: 'launch-template';
  readonly target: LaunchTemplateTarget;
  readonly snapshot: LaunchTemplateSnapshot | null;
  /** The versions that are known to exist; `null` before the first success. */
  readonly inventory: Inventory<number> | null;
  /** The last default version that was known without doubt. The next one is compared with it. */
  readonly lastDefaultVersion: number | null;
  readonly defaultVersionChanges: number;
  readonly defaultVersionChangedAtMs: number | null;
  readonly versionsCreated: number;
  readonly versionsDeleted: number;
}

export function newLaunchTemplateRecord(target: LaunchTemplateTarget): LaunchTemplateRecord {
  return {
    kind: 'launch-template',
    target,
    freshness: neverPolled,
    snapshot: null,
    appId: null,
    inventory: null,
    lastDefaultVersion: null,
    defaultVersionChanges: 0,
    defaultVersionChangedAtMs: null,
    versionsCreated: 0,
    versionsDeleted: 0,
    recentChanges: [],
  };
}
