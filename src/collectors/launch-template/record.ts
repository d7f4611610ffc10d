/** The record and the snapshot of a launch template. */
import type { Inventory } from '../../model/inventory.ts';
import { newCounted, newSeen, type Counted, type TargetRecord } from '../../model/record.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { LaunchTemplateTarget, ListedTemplate } from './target.ts';

/** The data of the default version. Absent fields are empty strings. */
export interface DefaultVersion {
  readonly version: number;
  readonly imageId: string;
  readonly instanceType: string;
  readonly chargeType: string;
}

/** The last answer of the service about a launch template. */
export interface LaunchTemplateSnapshot extends Snapshot {
  readonly kind: 'launch-template';
  /** Every readable version number, ascending, without duplicates. */
  readonly versions: readonly number[];
  /** The number of versions with an unreadable number. */
  readonly unidentified: number;
  /** `null` when no version or several are marked as the default, or when an unreadable row may be marked. */
  readonly defaultVersion: DefaultVersion | null;
}

export interface LaunchTemplateCounted extends Counted {
  /** The versions that are known to exist. `null` before the first success. */
  readonly inventory: Inventory<number> | null;
  /** The last certain default version. The next one is compared with it. */
  readonly lastDefaultVersion: number | null;
  readonly defaultVersionChanges: number;
  readonly defaultVersionChangedAtMs: number | null;
  readonly versionsCreated: number;
  readonly versionsDeleted: number;
  /** What the list said when the versions were last read. `null` if it said nothing. */
  readonly readAs: ListedTemplate | null;
}

export interface LaunchTemplateRecord extends TargetRecord<
  LaunchTemplateCounted,
  LaunchTemplateSnapshot
> {
  readonly kind: 'launch-template';
  readonly target: LaunchTemplateTarget;
}

export function newLaunchTemplateRecord(target: LaunchTemplateTarget): LaunchTemplateRecord {
  return {
    kind: 'launch-template',
    target,
    counted: {
      ...newCounted,
      inventory: null,
      lastDefaultVersion: null,
      defaultVersionChanges: 0,
      defaultVersionChangedAtMs: null,
      versionsCreated: 0,
      versionsDeleted: 0,
      readAs: null,
    },
    seen: newSeen,
  };
}
