/** DescribeLaunchTemplateVersions: what is asked, and how the answers become a snapshot. */
import { z } from 'zod';
import type { Parameter } from '../../api/request.ts';
import { firstIssue, readFields, type ServiceResponse } from '../../api/response.ts';
import { printable } from '../../api/text.ts';
import { CodedError } from '../../model/coded-error.ts';
import type { Anomaly } from '../../model/poll-outcome.ts';
import { maxRows } from '../rows.ts';
import type { VersionList, VersionPage, VersionRow } from './paging.ts';
import type { DefaultVersion, LaunchTemplateSnapshot } from './record.ts';

/** The most rows that the service gives at once (service.md, section 8). */
const pageSize = 100;
/** The largest number a version can have: the service's default of 30 hides those above it. */
const maxVersion = 2_147_483_647;
const maxTextLength = 128;

/** Asks for the versions from `offset` on, whatever their numbers. */
export function versionParameters(templateId: string, offset: number): Parameter[] {
  return [
    ['LaunchTemplateId', templateId],
    ['MinVersion', '0'],
    ['MaxVersion', String(maxVersion)],
    ['Offset', String(offset)],
    ['Limit', String(pageSize)],
  ];
}

const count = z.int().nonnegative();
const text = z.string().nullish().catch(null);

const pageSchema = z.object({
  TotalCount: count.nullish().catch(null),
  LaunchTemplateVersionSet: z.array(z.unknown()).nullish(),
});

/** Nothing else of a version's data is read: its UserData may hold secrets. */
const rowSchema = z.object({
  LaunchTemplateVersion: count,
  IsDefaultVersion: z.boolean().nullish(),
  LaunchTemplateVersionData: z
    .object({ ImageId: text, InstanceType: text, InstanceChargeType: text })
    .nullish()
    .catch(null),
});

/**
 * One page of the list of versions.
 *
 * @throws CodedError `InvalidResponse` when the shape of the whole is wrong
 */
export function readVersionPage(response: ServiceResponse): VersionPage {
  const page = readFields(response, pageSchema);
  return {
    totalCount: page.TotalCount ?? null,
    rows: (page.LaunchTemplateVersionSet ?? []).map(readRow),
  };
}

function readRow(row: unknown): VersionRow {
  const parsed = rowSchema.safeParse(row);
  if (!parsed.success) return { ok: false, problem: firstIssue(parsed.error) };
  const data = parsed.data.LaunchTemplateVersionData;
  return {
    ok: true,
    isDefault: parsed.data.IsDefaultVersion ?? false,
    data: {
      version: parsed.data.LaunchTemplateVersion,
      imageId: data?.ImageId ?? '',
      instanceType: data?.InstanceType ?? '',
      chargeType: data?.InstanceChargeType ?? '',
    },
  };
}

export interface LaunchTemplateReading {
  readonly snapshot: LaunchTemplateSnapshot;
  readonly anomalies: readonly Anomaly[];
}

/**
 * The snapshot of a complete list.
 *
 * @throws CodedError `InvalidResponse` when no version can be read although the service does not
 *   say that there are none: taken as it is, it would mean that every version was deleted
 */
export function summarizeVersions(list: VersionList): LaunchTemplateReading {
  const anomalies = listAnomalies(list);
  const versions = new Set<number>();
  const defaults: DefaultVersion[] = [];
  for (const [index, row] of list.rows.entries()) {
    if (!row.ok) {
      anomalies.push({ kind: 'invalid-row', detail: `version ${index + 1}: ${row.problem}` });
      continue;
    }
    const { version } = row.data;
    if (versions.has(version)) {
      anomalies.push({ kind: 'duplicate-row', detail: `version ${version} is there already` });
      continue;
    }
    versions.add(version);
    if (row.isDefault) defaults.push(row.data);
  }
  if (versions.size === 0 && (list.rows.length > 0 || list.totalCount !== 0)) {
    throw new CodedError('InvalidResponse', 'unexpected answer: no version can be read');
  }
  anomalies.push(...defaultAnomalies(versions.size, defaults));
  const [first = null] = defaults;
  const defaultVersion = first === null || defaults.length > 1 ? null : withPrintableTexts(first);
  const sorted = [...versions].sort((a, b) => a - b);
  return {
    snapshot: { kind: 'launch-template', missing: [], versions: sorted, defaultVersion },
    anomalies,
  };
}

function listAnomalies({ rows, totalCount, truncated }: VersionList): Anomaly[] {
  if (truncated) {
    return [
      { kind: 'too-many-rows', detail: `more than ${maxRows} versions; others are not read` },
    ];
  }
  if (totalCount === null || totalCount === rows.length) return [];
  const detail = `${rows.length} versions were read, the service counts ${totalCount}`;
  return [{ kind: 'total-count-mismatch', detail }];
}

function defaultAnomalies(versions: number, defaults: readonly DefaultVersion[]): Anomaly[] {
  if (versions > 0 && defaults.length === 0) {
    return [{ kind: 'no-default', detail: 'no version is the default' }];
  }
  if (defaults.length < 2) return [];
  const detail = `versions ${defaults.map(({ version }) => version).join(', ')} are all the default`;
  return [{ kind: 'multiple-defaults', detail }];
}

function withPrintableTexts({ version, ...texts }: DefaultVersion): DefaultVersion {
  return {
    version,
    imageId: printable(texts.imageId, maxTextLength),
    instanceType: printable(texts.instanceType, maxTextLength),
    chargeType: printable(texts.chargeType, maxTextLength),
  };
}
