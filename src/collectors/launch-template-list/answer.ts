/** Turns the answers of DescribeLaunchTemplates into a snapshot: which templates are selected. */
import { z } from 'zod';
import { snapshotSchema, type PollAnswer } from '../../model/poll-outcome.ts';
import { count, text, type Stored } from '../../model/stored.ts';
import { launchTemplateId } from '../keys.ts';
import { type ListReading } from '../lists.ts';
import { field, rowOf } from '../rows.ts';
import { selectRows, type Selection } from '../selection.ts';

/** What DescribeLaunchTemplates says about a template. A number is `null` when it cannot be read. */
export const listedTemplate = z.object({
  /** Printable. Empty when the answer has none. */
  name: text,
  defaultVersion: count.nullable(),
  latestVersion: count.nullable(),
  /** The number of versions. */
  versions: count.nullable(),
});

const template = listedTemplate.extend({ id: launchTemplateId });

export const launchTemplateListSnapshot = snapshotSchema({
  /** The selected templates with a readable ID, in the order of the answer, without duplicates. */
  templates: z.array(template),
  /** The listed templates with names that are not selected. */
  others: z.array(template.pick({ id: true, name: true })),
  /** The number of templates that the service has besides them, or may have. */
  unidentified: count,
});
export type LaunchTemplateListSnapshot = Stored<typeof launchTemplateListSnapshot>;

const rowSchema = rowOf({
  name: field('LaunchTemplateName', text),
  defaultVersion: field('DefaultVersionNumber', count),
  latestVersion: field('LatestVersionNumber', count),
  versions: field('LaunchTemplateVersionCount', count),
});

/** The templates of a region. A row's name is its ID. */
export const templateSet = {
  name: 'LaunchTemplateSet',
  noun: 'launch templates',
  id: z.object({ LaunchTemplateId: launchTemplateId }),
  schema: rowSchema,
};

/**
 * The snapshot of a list. A row without a readable name is unidentified if names are selected.
 *
 * @param maxWatched how many of the selected templates get targets, for the note about the others
 */
export function summarizeList(
  { rows, total, anomalies }: ListReading<z.output<typeof rowSchema>>,
  { selection, maxWatched }: { readonly selection: Selection; readonly maxWatched: number },
): PollAnswer<LaunchTemplateListSnapshot> {
  const { others, selected, ...read } = selectRows(selection, rows, 'launch template');
  const templates = selected.map(({ id, name, row }) => ({ ...row, id, name }));
  const found = `${templates.length} launch templates were found`;
  const tooMany = `${found}, of which ${maxWatched} are watched: raise max_launch_templates`;
  const missing = [...read.missing, ...(templates.length > maxWatched ? [tooMany] : [])];
  return {
    snapshot: {
      templates,
      others: others.map(({ id, name }) => ({ id, name })),
      unidentified: total - templates.length - others.length,
      missing,
    },
    anomalies: [...anomalies, ...read.anomalies],
  };
}
