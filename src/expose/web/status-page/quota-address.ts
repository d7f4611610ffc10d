/** The permanent address of a quota's own page. It has the labels of the quota's metrics. */
import type { Quota } from '../../../model/quota.ts';
import type { Target } from '../../../model/target.ts';
import type { Choices } from './page-footer.ts';
import { quotaRowsOf, type QuotaRow, type Watched } from '../../watched.ts';

/** The path of the page, relative to the status page. */
export const quotaPath = 'quota';

/** Relative to the status page. */
export function quotaLink(
  { quota, watched }: QuotaRow,
  { isLocalTime, isPaused }: Choices,
): string {
  const { account, region, resource } = watched.record.target;
  const { type, zone } = quota;
  const search = new URLSearchParams({ account, region, ...resource, quota_type: type });
  if (zone !== null) search.set('zone', zone);
  if (isPaused) search.set('refresh', 'off');
  if (isLocalTime) search.set('time', 'local');
  return `${quotaPath}?${search.toString()}`;
}

/** The quota of an address. `null` if none is known that has its labels. */
export function findQuota(all: readonly Watched[], search: URLSearchParams): QuotaRow | null {
  for (const watched of all) {
    if (!isTargetOf(watched.record.target, search)) continue;
    const row = quotaRowsOf(watched).find(({ quota }) => isQuotaOf(quota, search));
    if (row !== undefined) return row;
  }
  return null;
}

function isTargetOf({ account, region, resource = {} }: Target, search: URLSearchParams): boolean {
  return (
    account === search.get('account') &&
    region === search.get('region') &&
    Object.entries(resource).every(([label, value]) => value === search.get(label))
  );
}

/** A metric without a zone has no such label, and some clients send an empty one. */
function isQuotaOf({ type, zone }: Quota, search: URLSearchParams): boolean {
  return type === search.get('quota_type') && (zone ?? '') === (search.get('zone') ?? '');
}
