import { createHash } from 'node:crypto';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { Change } from '../../model/change.ts';
import { targetKey } from '../../model/target.ts';
import { jsonAnswer, type Answer } from '../answers.ts';
import { admits, ask, changeLabels, timeOf } from '../filter.ts';
import type { Evaluator } from '../evaluation.ts';
import { listJson, timestamp } from './list.ts';

/** `/api/v1/changes`: newest first. The target of a change may not be watched any more. */
export async function changesAnswer(source: Evaluator, query: string): Promise<Answer> {
  const { collectors, published } = source.view;
  const changes = newestFirst(published.changes());
  const { filter, options } = await ask(source, query, {
    labels: { kind: collectors.changeKinds },
    options: { from: null, to: null },
    gone: changes.map(changeLabels),
  });
  const from = timeOf(options.get('from') ?? '0');
  const to = timeOf(options.get('to') ?? '9'.repeat(15));
  const asked = changes.filter(
    (change) => admits(filter, changeLabels(change)) && change.atMs >= from && change.atMs < to,
  );
  return jsonAnswer([await listJson('changes', asked, (change) => changeJson(change, collectors))]);
}

/** By time, newest first. For changes with the same time, the one that was found last comes first. */
export function newestFirst(changes: readonly Change[]): Change[] {
  return changes.toReversed().sort((a, b) => b.atMs - a.atMs);
}

function changeJson(change: Change, collectors: CollectorSet) {
  const { kind, atMs, account, region, resource = {}, quotaType, zone, from, to } = change;
  const content = JSON.stringify([kind, targetKey(change), quotaType, zone, from, to]);
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
  const place = [account, region, ...Object.values(resource)].join(' ');
  return {
    // Computed from the change, so that it is the same after a restart.
    id: `${atMs}-${digest}`,
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
