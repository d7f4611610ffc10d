/** Turns the answers of DescribeLaunchTemplates into a snapshot. */
import { z } from 'zod';
import { printable, readFields, type ServiceResponse } from '../../api/response.ts';
import { CodedError } from '../../model/coded-error.ts';
import type { Anomaly, PollAnswer } from '../../model/poll-outcome.ts';
import { launchTemplateId } from '../launch-template/configuration.ts';
import { boundedMissing, maxRows } from '../read-rows.ts';
import type { ListPage, ListRow } from './paging.ts';
import type { LaunchTemplateListSnapshot, TemplateRow } from './record.ts';
import type { LaunchTemplateListTarget } from './target.ts';

const maxNameLength = 128;

const number = z.int().nonnegative().nullish().catch(null);

const pageSchema = z.object({
  TotalCount: number,
  LaunchTemplateSet: z.array(z.unknown()).nullish(),
});

const rowSchema = z
  .object({
    LaunchTemplateId: launchTemplateId.nullish().catch(null),
    LaunchTemplateName: z.string().nullish().catch(null),
    DefaultVersionNumber: number,
    LatestVersionNumber: number,
    LaunchTemplateVersionCount: number,
  })
  .catch({});

/**
 * One page of the list of templates.
 *
 * @throws CodedError `InvalidResponse` when the whole has a wrong shape, or the page is much longer than
 *   requested
 */
export function readListPage(response: ServiceResponse): ListPage {
  const page = readFields(response, pageSchema);
  const { requestId } = response;
  const rows = page.LaunchTemplateSet ?? [];
  if (rows.length > maxRows) {
    const message = `unexpected answer: ${rows.length} launch templates in one page`;
    throw new CodedError('InvalidResponse', message, { requestId });
  }
  return { totalCount: page.TotalCount ?? null, rows: rows.map(readRow), requestId };
}

function readRow(value: unknown): ListRow {
  const row = rowSchema.parse(value);
  const name = row.LaunchTemplateName ?? null;
  return {
    id: row.LaunchTemplateId ?? null,
    name,
    listed: {
      name: printable(name ?? '', maxNameLength),
      defaultVersion: row.DefaultVersionNumber ?? null,
      latestVersion: row.LatestVersionNumber ?? null,
      versions: row.LaunchTemplateVersionCount ?? null,
    },
  };
}

/**
 * The snapshot of a complete list. A row without a readable ID is unidentified, and so is a row without a
 * readable name if names are selected.
 *
 * @throws CodedError `InvalidResponse` when no row can be read, and the service does not say that there are no
 *   templates: such a snapshot would mean that every template was deleted
 */
export function summarizeList(
  { rows, totalCount, requestId }: ListPage,
  { selection, maxWatched }: LaunchTemplateListTarget,
): PollAnswer<LaunchTemplateListSnapshot> {
  const isSelected = nameMatcher(selection.names);
  const ids = new Set<string>();
  const templates: TemplateRow[] = [];
  const anomalies: Anomaly[] = [];
  for (const [index, { id, name, listed }] of rows.entries()) {
    if (id !== null && ids.has(id)) {
      anomalies.push({ kind: 'duplicate-row', detail: `${id} is there already` });
      continue;
    }
    const matches = isSelected(name);
    if (id === null || matches === null) {
      const problem = id === null ? `row ${index + 1}: no template ID` : `${id}: no name`;
      anomalies.push({ kind: 'invalid-row', detail: problem });
      continue;
    }
    ids.add(id);
    if (matches) templates.push({ id, ...listed });
  }
  if (ids.size === 0 && (rows.length > 0 || totalCount !== 0)) {
    const message = 'unexpected answer: no launch template can be read';
    throw new CodedError('InvalidResponse', message, { requestId });
  }
  const lacks = anomalies.map(({ detail }) => detail);
  const total = totalCount ?? rows.length;
  if (total !== rows.length) {
    const detail = `${rows.length} launch templates were read, the service counts ${total}`;
    anomalies.push({ kind: 'total-count-mismatch', detail });
    if (total > rows.length) lacks.push(detail);
  }
  if (templates.length > maxWatched) {
    const count = `${templates.length} launch templates were found`;
    lacks.push(`${count}, of which ${maxWatched} are watched: raise max_launch_templates`);
  }
  return {
    snapshot: {
      kind: 'launch-template-list',
      appId: null,
      templates,
      unidentified: Math.max(rows.length, total) - ids.size,
      missing: boundedMissing(lacks),
    },
    anomalies,
  };
}

/** Whether a name is selected. `null` when that is unknown, because the name is. */
function nameMatcher(patterns: readonly string[] | null) {
  return (name: string | null): boolean | null => {
    if (patterns === null) return true;
    return name === null ? null : patterns.some((pattern) => matches(name, pattern));
  };
}

/** A regular expression could take a time that grows exponentially with the number of `*`. */
function matches(name: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let end = first.length;
  for (const part of others) {
    const at = name.indexOf(part, end);
    if (at === -1) return false;
    end = at + part.length;
  }
  return name.length - last.length >= end && name.endsWith(last);
}
