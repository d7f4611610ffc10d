/** The answer of `/api/v1/launches`, which `app.ts` routes, and a launch in the JSON of `check` (`check-report.ts`). */
import { english } from '../../model/texts/texts.ts';
import { changeText } from '../../model/launches/asked.ts';
import type { EvaluatedLaunch } from '../../model/launches/judge-region.ts';
import { jsonAnswer, listJson, timestamp } from '../answers.ts';
import {
  isLaunchCount,
  labelValues,
  launchLabels,
  matchesFilter,
  parseQuery,
  type ListAnswer,
} from '../filter.ts';
import { chargeTypeText, launchStateText, partText } from '../launch-text.ts';

/**
 * Two lists: the launches that are judged, the worst first, and those that are not, with the reason. `count` judges each
 * for so many instances in place of its own number.
 */
export const launchesAnswer: ListAnswer = async (evaluator, query, pace) => {
  const countText = new URLSearchParams(query).get('count') ?? '';
  // `parseQuery` needs the launches before it can refuse a wrong count, so a wrong one is as none until then.
  const count = isLaunchCount(countText) ? Number(countText) : null;
  const { launches, targets } = await evaluator.evaluate(pace, count);
  const { collectors } = evaluator.view;
  const labels = await labelValues(targets, collectors, pace, launches.map(launchLabels));
  const { filter } = parseQuery(query, labels, { count: 'count' });
  const matching = launches.filter((launch) => matchesFilter(filter, launchLabels(launch)));
  const notJudged = matching.filter((launch) => !isJudged(launch));
  return jsonAnswer([
    await listJson('launches', matching.filter(isJudged), launchJson, pace),
    await listJson('not_judged', notJudged, notJudgedJson, pace),
  ]);
};

/** False for a launch that is not judged: `unjudged` says why, such as that its scaling group is disabled. */
export const isJudged = ({ unjudged }: EvaluatedLaunch) => unjudged === null;

/** A launch that is not judged, with the reason. */
export function notJudgedJson(launch: EvaluatedLaunch) {
  return {
    ...launchIdentity(launch),
    state: launchStateText(launch, english),
    reason: launch.unjudged,
  };
}

/** The fields that identify a launch, judged or not: labels, then template name and version, or the scaling group. */
function launchIdentity(launch: EvaluatedLaunch) {
  const { group, source, templateName, version } = launch;
  const nameFields =
    group === null
      ? { template_name: templateName, version }
      : {
          name: group.name,
          members: {
            min: group.minSize,
            desired: group.desiredCapacity,
            max: group.maxSize,
            instances: group.instances,
          },
        };
  return { ...(source !== null && { source }), ...launchLabels(launch), ...nameFields };
}

/** A launch that is judged, with what each part of it says. `null` for what is unknown. */
export function launchJson(launch: EvaluatedLaunch) {
  return {
    ...launchIdentity(launch),
    zone: launch.zone,
    judged_zone: launch.judgedZone,
    instance_type: launch.instanceType,
    charge_type: chargeTypeText(launch),
    subnets: launch.subnets,
    count: launch.count,
    state: launchStateText(launch, english),
    headroom: launch.headroom,
    parts: launch.parts.map((part) => ({
      part: part.part.name,
      known: part.isKnown,
      holds: part.roomFor,
      ...(part.reason !== null && {
        reason: part.reason,
        severity: part.severity,
        since: timestamp(part.sinceMs),
      }),
      text: partText(part, launch, english),
    })),
    blocked_since: timestamp(launch.sinceMs),
    ...(launch.group && {
      judged_charge_type: launch.chargeType,
      missing: launch.missing,
      short_since: timestamp(launch.shortSinceMs),
    }),
    sells_in: launch.soldIn,
    other_templates: launch.sharing,
    /** `undefined`, and so not in the text, unless a check has looked for alternatives. */
    alternatives: launch.alternatives?.map((other) => alternativeJson(other, launch)),
  };
}

/** A launch that would succeed in place of a blocked one, and what to change for it. */
function alternativeJson(launch: EvaluatedLaunch, blocked: EvaluatedLaunch) {
  return {
    instance_type: launch.instanceType,
    zone: launch.judgedZone,
    charge_type: launch.chargeType,
    subnets: launch.subnets,
    headroom: launch.headroom,
    stock_level: launch.stockLevel,
    parts: launch.parts.map((part) => ({
      part: part.part.name,
      text: partText(part, launch, english),
    })),
    change: changeText(blocked, launch, english),
  };
}
