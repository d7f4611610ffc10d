import type { LaunchRow } from '../../model/launches/judge-region.ts';
import { jsonAnswer, type Answer } from '../answers.ts';
import { admits, ask, launchLabels } from '../filter.ts';
import { launchStateText, partText } from '../launch-text.ts';
import type { Evaluator } from '../evaluation.ts';
import { listJson, timestamp } from './list.ts';

/** `/api/v1/launches`: the worst first, and what is not judged. */
export async function launchesAnswer(source: Evaluator, query: string): Promise<Answer> {
  const { filter, launches } = await ask(source, query);
  const asked = launches.filter((each) => admits(filter, launchLabels(each)));
  const judged = asked.filter(({ unjudged }) => unjudged === null);
  const others = asked.filter(({ unjudged }) => unjudged !== null);
  return jsonAnswer([
    await listJson('launches', judged, launchJson),
    await listJson('not_judged', others, (row) => ({ ...whichJson(row), reason: row.unjudged })),
  ]);
}

function whichJson(row: LaunchRow) {
  return { ...launchLabels(row), template_name: row.templateName, version: row.version };
}

export function launchJson(row: LaunchRow) {
  return {
    ...whichJson(row),
    zone: row.zone,
    judged_zone: row.judgedZone,
    instance_type: row.instanceType,
    charge_type: row.chargeType,
    subnets: row.subnets,
    count: row.count,
    state: launchStateText(row),
    headroom: row.headroom,
    parts: row.parts.map((each) => ({
      part: each.part,
      known: each.isKnown,
      holds: each.holds,
      ...(each.reason !== null && { reason: each.reason, severity: each.severity }),
      text: partText(each, row),
    })),
    blocked_since: timestamp(row.sinceMs),
    sells_in: row.soldIn,
    other_templates: row.sharing,
  };
}
