import { createHash } from 'node:crypto';
import type { Change } from '../../../model/change.ts';
import type { CollectorSet } from '../../../collectors/collector-set.ts';
import { includes, isAskedFor, type ChangesQuery } from './query.ts';
import { targetKey } from '../../../model/target.ts';
import { timestamp } from './timestamp.ts';

/**
 * One answer of `/api/v1/changes`: newest first. `next_cursor` names the last change of the answer, so
 * that the next answer neither skips nor repeats a change when new changes arrive, old ones leave the
 * feed, or the daemon restarts.
 */
export function changesJson(
  changes: readonly Change[],
  query: ChangesQuery,
  collectors: CollectorSet,
) {
  const matching = newestFirst(changes).filter(
    (change) => isAskedFor(query, change) && includes(query.kind, change.kind),
  );
  const rest = query.cursor === undefined ? matching : after(matching, query.cursor);
  const page = rest.slice(0, query.limit);
  const last = page.at(-1);
  return {
    changes: page.map((change) => changeJson(change, collectors)),
    total: matching.length,
    next_cursor: last === undefined || page.length === rest.length ? null : changeId(last),
  };
}

/** By time, newest first. For changes with the same time, the one that was found last comes first. */
export function newestFirst(changes: readonly Change[]): Change[] {
  return changes.toReversed().sort((a, b) => b.atMs - a.atMs);
}

function after(changes: readonly Change[], cursor: string): readonly Change[] {
  const atMs = Number(cursor.split('-', 1)[0]);
  const index = changes.findIndex((change) => change.atMs === atMs && changeId(change) === cursor);
  return index === -1 ? changes.filter((change) => change.atMs < atMs) : changes.slice(index + 1);
}

/** Computed from the change, so that it is the same after a restart. */
export function changeId(change: Change): string {
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
