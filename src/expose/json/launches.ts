import type { JudgedPart } from '../../model/launch.ts';
import { thresholdsAt } from '../../model/thresholds.ts';
import { admits, launchLabels, readQuery, targetLabels, valuesOf } from '../filter.ts';
import {
  launchesOf,
  launchStates,
  partText,
  type LaunchRow,
  type UnjudgedRow,
} from '../launches.ts';
import { listJson, timestamp, type Source } from './list.ts';

/** `/api/v1/launches`: the worst first, and what is not judged. */
export async function launchesJson({ view, watch }: Source, search: URLSearchParams) {
  const nowMs = view.clock.now();
  const all = await watch(nowMs);
  const { filter } = readQuery(search, valuesOf(all.flatMap(targetLabels), view.collectors));
  const { judged, unjudged } = launchesOf(all, thresholdsAt(view.thresholds(), nowMs));
  const isAsked = (each: LaunchRow | UnjudgedRow) => admits(filter, launchLabels(each));
  const lists = [
    await listJson('launches', judged.filter(isAsked), launchJson),
    await listJson('not_judged', unjudged.filter(isAsked), (each) => ({
      ...whichJson(each),
      reason: each.unjudged,
    })),
  ];
  return lists.join(',');
}

function whichJson(row: LaunchRow | UnjudgedRow) {
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
    state: launchStates[row.word],
    headroom: row.headroom,
    parts: row.parts.map((part) => partJson(part, row)),
    blocked_since: timestamp(row.sinceMs),
    sells_in: row.soldIn,
    other_templates: row.sharing,
  };
}

function partJson(each: JudgedPart, row: LaunchRow) {
  const { holds, isKnown, part, reason, severity } = each;
  const blocked = reason !== null && { reason, severity };
  return { part, known: isKnown, holds, ...blocked, text: partText(each, row) };
}
