/** The answer of `/api/v1/changes`; `app.ts` routes it. */
import { createHash } from 'node:crypto';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { Change } from '../../model/change.ts';
import { targetKey } from '../../model/target.ts';
import { english } from '../../model/texts/texts.ts';
import { jsonAnswer, listJson, timestamp } from '../answers.ts';
import {
  changeLabels,
  labelValues,
  matchesFilter,
  parseQuery,
  parseTimestamp,
  type ListAnswer,
} from '../filter.ts';

/**
 * The changes of the feed, the newest first; of changes with the same time, the one that was found last. The query may have
 * `from` (included) and `to` (excluded). The target of a change may not be configured any more.
 */
export const changesAnswer: ListAnswer = async (evaluator, query, pace) => {
  const { collectors, published } = evaluator.view;
  const changes = published.changes().toReversed();
  const { targets } = await evaluator.evaluate(pace);
  const valuesByLabel = await labelValues(targets, collectors, pace, changes.map(changeLabels));
  const labels = { ...valuesByLabel, kind: collectors.changeKinds };
  const { filter, options } = parseQuery(query, labels, { from: 'timestamp', to: 'timestamp' });
  // An absent or empty value is no time, and so no bound. `parseQuery` has refused other texts that are no time.
  const fromMs = parseTimestamp(options.get('from') ?? '') ?? -Infinity;
  const toMs = parseTimestamp(options.get('to') ?? '') ?? Infinity;
  const matching = changes.filter(
    (change) =>
      change.atMs >= fromMs && change.atMs < toMs && matchesFilter(filter, changeLabels(change)),
  );
  const jsonOf = (change: Change) => changeJson(change, collectors);
  return jsonAnswer([await listJson('changes', matching, jsonOf, pace)]);
};

/** A change. A field that does not apply is left out: it is `undefined`. Resource labels of other kinds are `null`. */
function changeJson(change: Change, collectors: CollectorSet) {
  const { kind, atMs, account, region, resource = {}, quotaType, zone, from, to } = change;
  const content = JSON.stringify([kind, targetKey(change), quotaType, zone, from, to]);
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
  const targetName = [account, region, ...Object.values(resource)].join(' ');
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
    text: `${targetName}: ${collectors.changeText(change, english)}`,
  };
}
