import type { JudgedPart } from '../../model/launch.ts';
import { thresholdsAt } from '../../model/thresholds.ts';
import { admitsLaunch, labelsOf, readQuery } from '../filter.ts';
import { launchesOf, launchStates, partText, type LaunchRow } from '../launches.ts';
import { listJson, timestamp, type Source } from './list.ts';

/** `/api/v1/launches`: the worst first, and what is not judged. */
export async function launchesJson({ view, watch }: Source, search: URLSearchParams) {
  const nowMs = view.clock.now();
  const all = await watch(nowMs);
  const { filter } = readQuery(search, labelsOf(all, view.collectors));
  const { judged, unjudged } = launchesOf(all, thresholdsAt(view.thresholds(), nowMs));
  const isAsked = (each: Parameters<typeof admitsLaunch>[1]) => admitsLaunch(filter, each);
  const lists = [
    await listJson('launches', judged.filter(isAsked), launchJson),
    await listJson('not_judged', unjudged.filter(isAsked), (each) => ({
      account: each.account,
      region: each.region,
      template_id: each.templateId,
      template_name: each.templateName,
      version: each.version,
      reason: each.unjudged,
    })),
  ];
  return lists.join(',');
}

export function launchJson(row: LaunchRow) {
  return {
    account: row.account,
    region: row.region,
    template_id: row.templateId,
    template_name: row.templateName,
    version: row.version,
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
