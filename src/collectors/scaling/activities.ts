/**
 * The kind for what the scaling groups of a region did: DescribeAutoScalingActivities. `activity-counts.ts` counts what its
 * polls read. A poll reads two lists:
 *
 * - What started since the window of the record begins. The first window begins 5 minutes ago. A long list is read in
 *   pages, and over several polls: the window then stays, and its offset grows. After its end, the next window begins 5
 *   minutes before the newest activity that was read.
 * - What ran when it was last read, by ID; in the first poll, whatever runs.
 */
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

/** The types of activities that start instances. Others are not read. */
const types = ['SCALE_OUT', 'REPLACE_UNHEALTHY_INSTANCE'];
const openStatuses = ['INIT', 'RUNNING'];
/** The outcome of each status of an activity that has ended. */
const outcomeOf: Readonly<Record<string, (typeof outcomes)[number]>> = {
  SUCCESSFUL: 'successful',
  PARTIALLY_SUCCESSFUL: 'partial',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
};

/** A window begins this long before the newest activity of the last one: the service may list some late. */
const overlapMs = 5 * 60_000;
const maxPages = 10;
/** A window ends after so many rows. Its further activities are not counted. */
const maxRowsOfWindow = 5_000;
/** Maximum number of activities that a poll asks about by ID. */
const maxIds = 100;

const time = z.iso.datetime({ offset: true }).transform((iso) => Date.parse(iso));

/** Why an activity failed. A code that does not look like one is {@link otherCode}, one that is absent is `Unknown`. */
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
    const refusals = uniqueBy(row.DetailedStatusMessageSet ?? [], ({ code }) => code);
    const hasFailed = outcome === 'failed' || outcome === 'partial';
    return {
      id: row.ActivityId,
      groupId: row.AutoScalingGroupId,
      startMs: row.StartTime,
      // One without EndTime counts as running, and is asked for again.
      end: outcome === undefined || atMs === null ? null : { atMs, outcome },
      refusals: hasFailed && refusals.length === 0 ? [{ code: 'Unknown', zone: null }] : refusals,
    };
  });

const activitySet = {
  name: 'ActivitySet',
  noun: 'scaling activities',
  id: z.object({ ActivityId: printableText }),
  schema: rowSchema,
  parameter: 'ActivityIds',
  // The activity does not exist.
  codes: ['InvalidParameterValue.InvalidActivityId'],
};

/**
 * Reads at most {@link maxPages} pages of activities.
 *
 * @param offset the number of rows that earlier polls read
 * @returns what {@link readRows} returns; `nextOffset`: the offset of the first row that was not read; `isWhole`:
 *   whether the list ends there; `missing`: a note if it does not; `lacking`: empty, as no ID was asked for
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
  return { ...reading, nextOffset: offset + rows.length, isWhole, missing, lacking: [] };
}

/**
 * Makes the function that takes the samples of a family from a record, with the label of their group. Groups that the
 * target does not ask about now have none.
 */
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
    // The key of a blocked launch of a group is the ID of the group, a space, and what blocks it.
    const blockedKeys = facts.flatMap(({ blockedSince }) => Object.keys(blockedSince));
    const foretold = groups.filter((id) => blockedKeys.some((key) => key.startsWith(`${id} `)));
    return [{ ...settings.target, groups, foretold }];
  },
  poll: async (ask, { durable, target: { groups } }, nowMs) => {
    const { ended, running, window: asked } = durable;
    // Without groups, the window only follows the time: what happens meanwhile is not counted.
    if (groups.length === 0) {
      const next = { sinceMs: Math.max(asked?.sinceMs ?? 0, nowMs - overlapMs), offset: 0 };
      return { snapshot: { activities: [], asked, next, lacking: [], missing: [] }, anomalies: [] };
    }
    const { offset, sinceMs } = asked ?? { offset: 0, sinceMs: nowMs - overlapMs };
    const since: Parameter = ['StartTime', new Date(sinceMs).toISOString().replace(/\.\d+/, '')];
    const filters = { 'activity-type': types };
    const inWindow = await readPages(ask, [...filtersOf(filters), since], offset);
    const ids = running.map(({ id }) => id).filter((id) => !inWindow.names.includes(id));
    const wasRunning =
      asked === null
        ? await readPages(ask, filtersOf({ ...filters, 'activity-status-code': openStatuses }), 0)
        : await readByIds(ask, ids.slice(0, maxIds), activitySet);
    const activities = [...inWindow.rows, ...wasRunning.rows].map(({ row }) => row);
    const starts = [...inWindow.rows.map(({ row }) => row), ...ended].map(({ startMs }) => startMs);
    // The clock of this machine only bounds it: an activity of the future would hide all others. Without any activity,
    // it is -Infinity, so that the window stays.
    const newestMs = Math.min(nowMs, Math.max(...starts));
    const hasWindowEnded = inWindow.isWhole || inWindow.nextOffset >= maxRowsOfWindow;
    const next = hasWindowEnded
      ? { sinceMs: Math.max(sinceMs, newestMs - overlapMs), offset: 0 }
      : { sinceMs, offset: inWindow.nextOffset };
    const tooMany = ids.length > maxIds ? [`more than ${maxIds} activities run`] : [];
    return {
      snapshot: {
        activities: uniqueBy(activities, ({ id }) => id),
        asked,
        next,
        lacking: wasRunning.lacking,
        missing: [...inWindow.missing, ...wasRunning.missing, ...tooMany],
      },
      anomalies: [...inWindow.anomalies, ...wasRunning.anomalies],
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
