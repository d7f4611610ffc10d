/** What is known of a launch template. */
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
  /** Every version number, ascending, each once. */
  readonly versions: readonly number[];
  /** `null` when no version, or more than one, claims to be the default. */
  readonly defaultVersion: DefaultVersion | null;
}

export interface LaunchTemplateRecord extends TargetRecord {
  readonly kind: 'launch-template';
  readonly target: LaunchTemplateTarget;
  readonly snapshot: LaunchTemplateSnapshot | null;
  /** The last default version that was known without doubt; what the next one is compared with. */
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
    lastDefaultVersion: null,
    defaultVersionChanges: 0,
    defaultVersionChangedAtMs: null,
    versionsCreated: 0,
    versionsDeleted: 0,
    recentChanges: [],
  };
}
