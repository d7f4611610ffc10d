/** Turns the answers of DescribeLaunchTemplates into a snapshot: which templates are selected. */
import { z } from 'zod';
import type { Parameter } from '../../api/request.ts';
import { printable, quoted } from '../../api/response.ts';
import { snapshotSchema, type Anomaly, type PollAnswer } from '../../model/poll-outcome.ts';
import { count, text, type Stored } from '../../model/stored.ts';
import { launchTemplateId, type selectionKeys } from '../keys.ts';
import { filtersOf, lenient, type ListReading } from '../rows.ts';

/** Which of the listed templates get targets, or which scaling groups are watched. */
export const templateSelection = z.object({
  /** Patterns, of which a name must match one. `null` for every name. */
  names: z.array(text).nullable(),
  /** Tags that are needed, all of them. */
  tags: z.record(text, text),
});
export type TemplateSelection = Stored<typeof templateSelection>;

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

const maxNameLength = 128;

const rowSchema = z.object({
  LaunchTemplateName: lenient(text),
  DefaultVersionNumber: lenient(count),
  LatestVersionNumber: lenient(count),
  LaunchTemplateVersionCount: lenient(count),
});

type TemplateRow = z.output<typeof rowSchema>;

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
  { rows, total, anomalies }: ListReading<TemplateRow>,
  { selection, maxWatched }: { readonly selection: TemplateSelection; readonly maxWatched: number },
): PollAnswer<LaunchTemplateListSnapshot> {
  const rowsOf = (isWanted: boolean | null) =>
    rows.filter(({ row }) => isSelected(selection, row.LaunchTemplateName) === isWanted);
  const nameOf = (row: TemplateRow) => printable(row.LaunchTemplateName ?? '', maxNameLength);
  const templates = rowsOf(true).map(({ name: id, row }) => ({
    id,
    name: nameOf(row),
    defaultVersion: row.DefaultVersionNumber,
    latestVersion: row.LatestVersionNumber,
    versions: row.LaunchTemplateVersionCount,
  }));
  const others = rowsOf(false).map(({ name: id, row }) => ({ id, name: nameOf(row) }));
  const nameless = rowsOf(null).map(({ name }): Anomaly => {
    return { kind: 'invalid-row', detail: `${quoted(name, 64)}: no name` };
  });
  const wanted = selectionText(selection);
  const missing: string[] = [];
  if (templates.length === 0 && wanted !== '') {
    missing.push(`no launch template matches ${wanted}`);
  }
  if (templates.length > maxWatched) {
    const found = `${templates.length} launch templates were found`;
    missing.push(`${found}, of which ${maxWatched} are watched: raise max_launch_templates`);
  }
  return {
    snapshot: {
      templates,
      others,
      unidentified: total - templates.length - others.length,
      missing,
    },
    anomalies: [...anomalies, ...nameless],
  };
}

/** The selection of a key of the configuration. */
export function selectionOf(key: 'all' | z.output<typeof selectionKeys>): TemplateSelection {
  const { names = null, tags = {} } = key === 'all' ? {} : key;
  return { names, tags };
}

/** The parameters that select by tags. The service has no patterns for names, so names are compared with the answer. */
export function tagFilters({ tags }: TemplateSelection): Parameter[] {
  const filters = Object.entries(tags).map(([key, value]) => [`tag:${key}`, [value]] as const);
  return filtersOf(Object.fromEntries(filters));
}

/** Such as `names batch-*, tags env=prod`. Empty for every template. */
export function selectionText({ names, tags }: TemplateSelection): string {
  const pairs = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
  return [
    ...(names === null ? [] : [`names ${names.join(', ')}`]),
    ...(pairs.length === 0 ? [] : [`tags ${pairs.join(', ')}`]),
  ].join(', ');
}

/** Whether a name is selected. `null` when that is unknown, because the name is. */
export function isSelected({ names }: TemplateSelection, name: string | null): boolean | null {
  if (names === null) return true;
  return name === null ? null : names.some((pattern) => matches(name, pattern));
}

/**
 * Whether a pattern matches a name; `*` matches any text. It finds each part at its first place, because a regular
 * expression could take a time that grows exponentially with the number of `*`.
 */
function matches(name: string, pattern: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let end = first.length;
  for (const part of parts) {
    const at = name.indexOf(part, end);
    if (at === -1) return false;
    end = at + part.length;
  }
  return name.length - last.length >= end && name.endsWith(last);
}
