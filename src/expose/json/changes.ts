import { createHash } from 'node:crypto';
import type { Change } from '../../model/change.ts';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { targetKey } from '../../model/target.ts';
import { admitsChange, labelsOf, oneOf, readQuery, type Parameter } from '../filter.ts';
import { listJson, timestamp, type Source } from './list.ts';

const time: Parameter = {
  accepts: (text) => !Number.isNaN(timeOf(text)),
  what: 'a time such as 2026-02-03T14:05:00Z, or milliseconds since the Unix epoch',
};

const isoTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Milliseconds since the Unix epoch. NaN for a text that is no time. */
function timeOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return isoTime.test(text) ? Date.parse(text) : NaN;
}

/** `/api/v1/changes`: newest first. */
export async function changesJson({ view, watch }: Source, search: URLSearchParams) {
  const { clock, collectors, published } = view;
  const changes = newestFirst(published.changes());
  const labels = {
    ...labelsOf(await watch(clock.now()), collectors, changes),
    kind: oneOf(collectors.changeKinds),
  };
  const { filter, options } = readQuery(search, labels, { from: time, to: time });
  const from = timeOf(options.get('from') ?? '0');
  const to = timeOf(options.get('to') ?? '9'.repeat(15));
  const asked = changes.filter(
    (change) => admitsChange(filter, change) && change.atMs >= from && change.atMs < to,
  );
  return listJson('changes', asked, (change) => changeJson(change, collectors));
}

/** By time, newest first. For changes with the same time, the one that was found last comes first. */
export function newestFirst(changes: readonly Change[]): Change[] {
  return changes.toReversed().sort((a, b) => b.atMs - a.atMs);
}

/** Computed from the change, so that it is the same after a restart. */
function changeId(change: Change): string {
  const { atMs, kind, quotaType, zone, from, to } = change;
  const content = JSON.stringify([kind, targetKey(change), quotaType, zone, from, to]);
  return `${atMs}-${createHash('sha256').update(content).digest('hex').slice(0, 12)}`;
}

function changeJson(change: Change, collectors: CollectorSet) {
  const { kind, atMs, account, region, resource = {}, quotaType, zone, from, to } = change;
  const place = [account, region, ...Object.values(resource)].join(' ');
  return {
    id: changeId(change),
    time: timestamp(atMs),
    kind,
    account,
    region,
    ...collectors.resourceOf(change),
    quota_type: quotaType,
    zone,
    from,
    to,
    text: `${place}: ${collectors.changeText(change)}`,
  };
}
