/** The record and the snapshot of the launch templates of a region. */
import { isDeepStrictEqual } from 'node:util';
import type { Inventory } from '../../model/inventory.ts';
import { newCounted, newSeen, type Counted, type TargetRecord } from '../../model/record.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import {
  launchTemplateOperation,
  type LaunchTemplateTarget,
  type ListedTemplate,
} from '../launch-template/target.ts';
import type { LaunchTemplateListTarget } from './target.ts';

/** A template of the list. */
export interface TemplateRow extends ListedTemplate {
  readonly id: string;
}

/** The last answer of the service about the templates of a region. */
export interface LaunchTemplateListSnapshot extends Snapshot {
  readonly kind: 'launch-template-list';
  /** The selected templates with a readable ID, in the order of the answer, without duplicates. */
  readonly templates: readonly TemplateRow[];
  /** The number of rows that may be a selected template, but cannot be read. */
  readonly unidentified: number;
}

export interface LaunchTemplateListCounted extends Counted {
  /** The IDs that are known to exist. `null` before the first success with the present selection. */
  readonly inventory: Inventory<string> | null;
  /**
   * The IDs of the known templates. The first ones are watched, up to the maximum of the target. A watched
   * template stays watched until it is deleted.
   */
  readonly watched: readonly string[];
  readonly templatesCreated: number;
  readonly templatesDeleted: number;
}

export interface LaunchTemplateListRecord extends TargetRecord<
  LaunchTemplateListCounted,
  LaunchTemplateListSnapshot
> {
  readonly kind: 'launch-template-list';
  readonly target: LaunchTemplateListTarget;
}

export function newLaunchTemplateListRecord(
  target: LaunchTemplateListTarget,
): LaunchTemplateListRecord {
  return {
    kind: 'launch-template-list',
    target,
    counted: {
      ...newCounted,
      inventory: null,
      watched: [],
      templatesCreated: 0,
      templatesDeleted: 0,
    },
    seen: newSeen,
  };
}

/**
 * Another selection begins a new baseline: a template that only the new one selects was not created. Until its
 * first answer, the same templates are watched.
 */
export function continueListRecord(
  record: LaunchTemplateListRecord,
  target: LaunchTemplateListTarget,
): LaunchTemplateListRecord {
  return isDeepStrictEqual(record.target.selection, target.selection)
    ? { ...record, target }
    : {
        ...record,
        target,
        counted: { ...record.counted, inventory: null },
        seen: { ...record.seen, snapshot: null },
      };
}

/** The watched templates, with what the last list says about each. */
export function watchedTemplates({
  target,
  counted: { watched },
  seen: { snapshot },
}: LaunchTemplateListRecord): readonly LaunchTemplateTarget[] {
  const { account, region, maxWatched } = target;
  const rows = new Map(snapshot?.templates.map(({ id, ...listed }) => [id, listed]));
  return watched.slice(0, maxWatched).map((id) => ({
    account,
    region,
    operation: launchTemplateOperation,
    resource: { template_id: id },
    listed: rows.get(id) ?? null,
  }));
}
