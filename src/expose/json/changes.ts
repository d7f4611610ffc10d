import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Change } from '../../model/change.ts';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { targetKey } from '../../model/target.ts';
import type { MonitorView } from '../monitor-view.ts';
import { includes, listJson, names, oneOf, readQuery, time } from './query.ts';
import { timestamp } from './timestamp.ts';

/** `/api/v1/changes`: newest first. */
export function changesJson(view: MonitorView, search: URLSearchParams): Promise<string> {
  const { collectors, published } = view;
  const schema = z.strictObject({
    account: names,
    region: names,
    kind: z.array(oneOf(collectors.changeKinds)).default([]),
    from: time.default(-Infinity),
    to: time.default(Infinity),
  });
  const { account, from, kind, region, to } = readQuery(schema, search);
  const asked = newestFirst(published.changes()).filter(
    (change) =>
      includes(account, change.account) &&
      includes(region, change.region) &&
      includes(kind, change.kind) &&
      change.atMs >= from &&
      change.atMs < to,
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
