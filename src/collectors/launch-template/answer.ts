/** Turns the answers of DescribeLaunchTemplateVersions into a snapshot. */
import { z } from 'zod';
import { firstIssue, printable, readFields, type ServiceResponse } from '../../api/response.ts';
import { CodedError } from '../../model/coded-error.ts';
import type { Anomaly, PollAnswer } from '../../model/poll-outcome.ts';
import { boundedMissing, maxRows } from '../read-rows.ts';
import { tooManyVersions, versionOf, type VersionPage, type VersionRow } from './paging.ts';
import type { DefaultVersion, LaunchTemplateSnapshot } from './record.ts';

const maxTextLength = 128;

const count = z.int().nonnegative();
const text = z.string().nullish().catch(null);

const pageSchema = z.object({
  TotalCount: count.nullish().catch(null),
  LaunchTemplateVersionSet: z.array(z.unknown()).nullish(),
});

/** No other field of a version's data is read, because its UserData may hold secrets. */
const rowSchema = z.object({
  LaunchTemplateVersion: count,
  IsDefaultVersion: z.boolean().nullish(),
  LaunchTemplateVersionData: z
    .object({ ImageId: text, InstanceType: text, InstanceChargeType: text })
    .nullish()
    .catch(null),
});

/** The fields of an invalid row that can still be read. */
const wrongRowSchema = z
  .object({
    LaunchTemplateVersion: count.nullable().catch(null).default(null),
    IsDefaultVersion: z.boolean().nullable().catch(null).default(null),
  })
  .catch({ LaunchTemplateVersion: null, IsDefaultVersion: null });

/**
 * One page of the list of versions.
 *
 * @throws CodedError `InvalidResponse` when the whole has a wrong shape, or the page is much longer than
 *   requested
 */
export function readVersionPage(response: ServiceResponse): VersionPage {
  const page = readFields(response, pageSchema);
  const { requestId } = response;
  const rows = page.LaunchTemplateVersionSet ?? [];
  if (rows.length > maxRows) throw tooManyVersions(requestId);
  return { totalCount: page.TotalCount ?? null, rows: rows.map(readRow), requestId };
}

function readRow(row: unknown): VersionRow {
  const parsed = rowSchema.safeParse(row);
  if (!parsed.success) {
    const { LaunchTemplateVersion: version, IsDefaultVersion: isDefault } =
      wrongRowSchema.parse(row);
    return { ok: false, problem: firstIssue(parsed.error), version, isDefault };
  }
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

/**
 * The snapshot of a complete list.
 *
 * @param appId of the account of the credentials; `null` when it is unknown
 * @throws CodedError `InvalidResponse` when no version can be read, and the service does not say that
 *   there are none: such a snapshot would mean that every version was deleted
 */
export function summarizeVersions(
  list: VersionPage,
  appId: number | null,
): PollAnswer<LaunchTemplateSnapshot> {
  const { rows, totalCount, requestId } = list;
  const anomalies = totalAnomalies(list);
  const versions = new Set<number>();
  const defaults: DefaultVersion[] = [];
  const unreadable: VersionRow[] = [];
  for (const [index, row] of rows.entries()) {
    const version = versionOf(row);
    if (version !== null && versions.has(version)) {
      anomalies.push({ kind: 'duplicate-row', detail: `version ${version} is there already` });
      if (!defaults.some((known) => known.version === version)) unreadable.push(row);
      continue;
    }
    if (version !== null) versions.add(version);
    if (!row.ok) {
      const name = version === null ? `row ${index + 1}` : `version ${version}`;
      anomalies.push({ kind: 'invalid-row', detail: `${name}: ${row.problem}` });
      unreadable.push(row);
    } else if (row.isDefault) {
      defaults.push(row.data);
    }
  }
  if (versions.size === 0 && (rows.length > 0 || totalCount !== 0)) {
    const message = 'unexpected answer: no version can be read';
    throw new CodedError('InvalidResponse', message, { requestId });
  }
  const { defaultVersion, anomalies: ofDefault } = defaultOf(defaults, unreadable, versions.size);
  anomalies.push(...ofDefault);
  return {
    snapshot: {
      kind: 'launch-template',
      appId,
      versions: [...versions].sort((a, b) => a - b),
      unidentified: Math.max(rows.length, totalCount ?? 0) - versions.size,
      defaultVersion,
      missing: boundedMissing(
        anomalies.filter((anomaly) => isLack(anomaly, list)).map(({ detail }) => detail),
      ),
    },
    anomalies,
  };
}

/** A list with more versions than the total of the service is complete. */
function isLack({ kind }: Anomaly, { rows, totalCount }: VersionPage): boolean {
  return kind !== 'total-count-mismatch' || (totalCount ?? 0) > rows.length;
}

function totalAnomalies({ rows, totalCount }: VersionPage): Anomaly[] {
  if (totalCount === null || totalCount === rows.length) return [];
  const detail = `${rows.length} versions were read, the service counts ${totalCount}`;
  return [{ kind: 'total-count-mismatch', detail }];
}

/** The only version that is marked as the default. `null` if an unreadable row may be marked too. */
function defaultOf(
  defaults: readonly DefaultVersion[],
  unreadable: readonly VersionRow[],
  versions: number,
): { defaultVersion: DefaultVersion | null; anomalies: readonly Anomaly[] } {
  const hidden = unreadable.filter(({ isDefault }) => isDefault === true).length;
  const [first = null] = defaults;
  if (defaults.length + hidden > 1) {
    const named = defaults.slice(0, 10).map(({ version }) => version);
    const detail = `${defaults.length + hidden} versions are the default: ${named.join(', ')}`;
    return { defaultVersion: null, anomalies: [{ kind: 'multiple-defaults', detail }] };
  }
  if (first !== null) return { defaultVersion: withPrintableTexts(first), anomalies: [] };
  const mayBe = unreadable.some(({ isDefault }) => isDefault !== false);
  const anomalies: Anomaly[] =
    versions === 0 || mayBe ? [] : [{ kind: 'no-default', detail: 'no version is the default' }];
  return { defaultVersion: null, anomalies };
}

function withPrintableTexts({ version, ...texts }: DefaultVersion): DefaultVersion {
  return {
    version,
    imageId: printable(texts.imageId, maxTextLength),
    instanceType: printable(texts.instanceType, maxTextLength),
    chargeType: printable(texts.chargeType, maxTextLength),
  };
}
