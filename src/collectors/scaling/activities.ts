/** The kind for what the scaling groups of a region did: DescribeAutoScalingActivities. */
import { z } from 'zod';
import { filtersOf, type Parameter } from '../../api/request.ts';
import { isCode } from '../../api/response.ts';
import { durableCounter, snapshotGauge, type Sample } from '../../model/metric-family.ts';
import { as, defineCollector, type Ask } from '../collector.ts';
import { launchConfiguration, scalingGroupId, zoneName, type LaunchKeys } from '../keys.ts';
import { areGroupsJudged, asksAbout } from '../launch-settings.ts';
import { askPage, readByIds } from '../lists.ts';
import { lenient, printableText, readRows, uniqueBy } from '../rows.ts';
import {
  activityRecord,
  countActivities,
  maxCodes,
  otherCode,
  outcomes,
  type ActivityRecord,
  type GroupCounts,
} from './activity-counts.ts';
import { scalingGroupCollector } from './groups.ts';

/** The types of activities that start instances. */
const types = ['SCALE_OUT', 'REPLACE_UNHEALTHY_INSTANCE'];
const openStatuses = ['INIT', 'RUNNING'];
const outcomeOf: Readonly<Record<string, (typeof outcomes)[number]>> = {
  SUCCESSFUL: 'successful',
  PARTIALLY_SUCCESSFUL: 'partial',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
};

/** A window begins this long before the newest activity of the last one: the service may list some late. */
const overlapMs = 5 * 60_000;
const maxPages = 10;
/** A window ends after so many rows. What is left of it is not counted. */
const maxRowsOfWindow = 5_000;
/** Maximum number of activities that a poll asks about by ID. */
const maxIds = 100;

const time = z.iso.datetime({ offset: true }).transform((iso) => Date.parse(iso));

const refusalSchema = z
  .object({ Code: lenient(z.string(), 'Unknown'), Zone: lenient(zoneName) })
  .transform(({ Code: code, Zone: zone }) => {
    return { code: code !== null && isCode(code) ? code : otherCode, zone };
  });

const rowSchema = z
  .object({
    ActivityId: printableText,
    AutoScalingGroupId: scalingGroupId,
    StatusCode: z.enum([...openStatuses, ...Object.keys(outcomeOf)]),
    StartTime: time,
    EndTime: time.nullish(),
    DetailedStatusMessageSet: z.array(refusalSchema).nullish(),
  })
  .transform((row) => {
    const outcome = outcomeOf[row.StatusCode];
    const atMs = row.EndTime ?? null;
    const byCode = uniqueBy(row.DetailedStatusMessageSet ?? [], ({ code }) => code);
    const needsCode = byCode.length === 0 && (outcome === 'failed' || outcome === 'partial');
    return {
      id: row.ActivityId,
      groupId: row.AutoScalingGroupId,
      startMs: row.StartTime,
      end: outcome === undefined || atMs === null ? null : { atMs, outcome },
      refusals: needsCode ? [{ code: 'Unknown', zone: null }] : byCode,
    };
  });

const activitySet = {
  name: 'ActivitySet',
  noun: 'scaling activities',
  id: z.object({ ActivityId: printableText }),
  schema: rowSchema,
  parameter: 'ActivityIds',
  // It does not exist.
  codes: ['InvalidParameterValue.InvalidActivityId'],
};

/**
 * Reads at most {@link maxPages} pages of activities.
 *
 * @param offset the number of rows of the list that are left out
 * @returns also `read`: the offset of the row after the last one; `isWhole`: whether the list ends there
 */
async function readPages(ask: Ask, parameters: readonly Parameter[], offset: number) {
  const rows: unknown[] = [];
  let isWhole = false;
  for (let page = 0; page < maxPages && !isWhole; page += 1) {
    const at = offset + rows.length;
    const { rows: more, totalCount } = await askPage(ask, parameters, activitySet.name, at);
    rows.push(...more);
    isWhole = more.length === 0 || at + more.length >= (totalCount ?? Infinity);
  }
  const reading = readRows(rows, activitySet);
  const missing = isWhole ? [] : [`there are more than ${rows.length} activities to read`];
  return { ...reading, read: offset + rows.length, isWhole, missing, lacking: [] };
}

/** Takes the samples of the groups that are watched now from a record. */
const samplesOf =
  (ofGroup: (group: GroupCounts) => readonly Sample[]) =>
  ({ groups }: ActivityRecord['durable'], target: ActivityRecord['target']) => {
    const watched = new Set(target.groups);
    return groups.flatMap((group) =>
      (watched.has(group.id) ? ofGroup(group) : []).map(({ labels, value }) => {
        return { labels: { scaling_group_id: group.id, ...labels }, value };
      }),
    );
  };

const failingSamples = samplesOf(({ failing }) => {
  if (failing === null) return [];
  return [{ labels: { code: failing.code, reason: failing.reason }, value: 1 }];
});

export const activityCollector = defineCollector<ActivityRecord, LaunchKeys>({
  ...asksAbout<ActivityRecord['target']>(({ groups }) => groups),
  kind: 'scaling-activity',
  operation: 'DescribeAutoScalingActivities',
  service: as,
  noun: 'scaling activities',
  follows: [scalingGroupCollector.operation],
  resourceLabels: ['scaling_group_id'],
  configuration: launchConfiguration,
  changeTexts: {
    'scale-out-failed': 'scale-out fails with {to}',
    'scale-out-recovered': 'scale-out succeeds again after {from}',
  },
  plan: (settings, facts) => {
    if (!areGroupsJudged(settings)) return [];
    const groups = facts.flatMap((each) => (each.groups ?? []).map(({ id }) => id));
    const blocked = facts.flatMap(({ blockedSince }) => Object.keys(blockedSince));
    const foretold = groups.filter((id) => blocked.some((named) => named.startsWith(`${id} `)));
    return [{ ...settings.target, groups, foretold }];
  },
  poll: async (ask, { durable, target: { groups } }, nowMs) => {
    const { ended, running, window: asked } = durable;
    if (groups.length === 0) {
      const next = { sinceMs: Math.max(asked?.sinceMs ?? 0, nowMs - overlapMs), offset: 0 };
      return { snapshot: { activities: [], asked, next, lacking: [], missing: [] }, anomalies: [] };
    }
    const { offset, sinceMs } = asked ?? { offset: 0, sinceMs: nowMs - overlapMs };
    const since: Parameter = ['StartTime', new Date(sinceMs).toISOString().replace(/\.\d+/, '')];
    const filters = { 'activity-type': types };
    const started = await readPages(ask, [...filtersOf(filters), since], offset);
    const ids = running.map(({ id }) => id).filter((id) => !started.names.includes(id));
    const ran =
      asked === null
        ? await readPages(ask, filtersOf({ ...filters, 'activity-status-code': openStatuses }), 0)
        : await readByIds(ask, ids.slice(0, maxIds), activitySet);
    const activities = [...started.rows, ...ran.rows].map(({ row }) => row);
    // The clock of this machine only bounds it: an activity of the future would hide all others.
    const starts = [...started.rows.map(({ row }) => row), ...ended].map(({ startMs }) => startMs);
    const newestMs = Math.min(nowMs, Math.max(...starts));
    const isEnd = started.isWhole || started.read >= maxRowsOfWindow;
    const next = isEnd
      ? { sinceMs: Math.max(sinceMs, newestMs - overlapMs), offset: 0 }
      : { sinceMs, offset: started.read };
    const later = ids.length > maxIds ? [`more than ${maxIds} activities run`] : [];
    return {
      snapshot: {
        activities: uniqueBy(activities, ({ id }) => id),
        asked,
        next,
        lacking: ran.lacking,
        missing: [...started.missing, ...ran.missing, ...later],
      },
      anomalies: [...started.anomalies, ...ran.anomalies],
    };
  },
  compare: countActivities,
  stored: activityRecord,
  families: [
    durableCounter(
      'cvm_scaling_activities_total',
      'Activities of DescribeAutoScalingActivities that started instances and have ended, by outcome: StatusCode. Foretold: the group was called blocked or short when the activity was first seen. Not those that had ended when the group was first read.',
      samplesOf(({ ended }) =>
        outcomes.flatMap((outcome) =>
          ['true', 'false'].map((foretold) => {
            return { labels: { outcome, foretold }, value: ended[`${outcome} ${foretold}`] ?? 0 };
          }),
        ),
      ),
      ['outcome', 'foretold'],
    ),
    durableCounter(
      'cvm_scaling_activity_refusals_total',
      `Refusals of these activities, once for each activity and Code of DetailedStatusMessageSet. Of a group, codes beyond ${maxCodes} are other.`,
      samplesOf(({ refusals }) =>
        refusals.map(({ code, count, reason }) => ({ labels: { code, reason }, value: count })),
      ),
      ['code', 'reason'],
    ),
    snapshotGauge(
      'cvm_scaling_group_failing',
      'Always 1, for a group whose last scale-out of DescribeAutoScalingActivities that ended failed, or succeeded in part only, with this Code. Gone with the next success.',
      (_snapshot, { record }) => failingSamples(record.durable, record.target),
      ['code', 'reason'],
    ),
  ],
  json: ({ activities }) => ({
    activities: activities.map(({ end, groupId, id, refusals }) => ({
      activity_id: id,
      scaling_group_id: groupId,
      outcome: end?.outcome ?? null,
      codes: refusals.map(({ code }) => code),
    })),
  }),
});
