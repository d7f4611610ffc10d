import { createHash } from 'node:crypto';
import type { Change } from '../../model/change.ts';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { targetKey } from '../../model/target.ts';
import { admits, changeLabels, readQuery, targetLabels, timeOf, valuesOf } from '../filter.ts';
import { listJson, timestamp, type Source } from './list.ts';

/** `/api/v1/changes`: newest first. The target of a change may not be watched any more. */
export async function changesJson({ view, watch }: Source, search: URLSearchParams) {
  const { clock, collectors, published } = view;
  const changes = newestFirst(published.changes());
  const known = [...(await watch(clock.now())).flatMap(targetLabels), ...changes.map(changeLabels)];
  const labels = { ...valuesOf(known, collectors), kind: collectors.changeKinds };
  const { filter, options } = readQuery(search, labels, { from: null, to: null });
  const from = timeOf(options.get('from') ?? '0');
  const to = timeOf(options.get('to') ?? '9'.repeat(15));
  const asked = changes.filter(
    (change) => admits(filter, changeLabels(change)) && change.atMs >= from && change.atMs < to,
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
