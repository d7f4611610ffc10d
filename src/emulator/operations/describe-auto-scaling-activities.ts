/**
 * DescribeAutoScalingActivities of as (docs/service.md, section 16.5). Not published, so we chose: the bounds StartTime
 * and EndTime belong to the window, a malformed one is InvalidParameterValue, and with EndTime an activity that
 * has not ended is left out. The newest activity is the first.
 */
import { stringOf, type Parameters } from '../protocol/parameters.ts';
import { ServiceError } from '../protocol/service-error.ts';
import { activityTimes, type Activity } from '../scenario/scaling.ts';
import { isoSeconds } from '../scenario/schema-parts.ts';
import { activityIdPattern } from '../scenario/vocabulary.ts';
import { withOverrides, type Operation } from './operation.ts';
import { scalingList } from './scaling-list.ts';

export const describeAutoScalingActivities: Operation = (parameters, { region, nowMs }) => {
  const earliestMs = timeOf(parameters, 'StartTime') ?? -Infinity;
  const latestMs = timeOf(parameters, 'EndTime') ?? Infinity;
  const newestFirst = region.activities
    .map((activity) => activityNow(activity, nowMs))
    .filter(({ startMs, endMs }) => startMs >= earliestMs && endMs <= latestMs)
    .toReversed()
    .toSorted((a, b) => b.startMs - a.startMs);
  const { total, page } = scalingList(newestFirst, parameters, {
    idsName: 'ActivityIds',
    idPattern: activityIdPattern,
    more: ['StartTime', 'EndTime'],
    filters: {
      'auto-scaling-group-id': ({ scaling_group: id }, value) => id === value,
      'activity-status-code': ({ status }, value) => status === value,
      'activity-type': ({ type }, value) => type === value,
      'activity-id': ({ id }, value) => id === value,
    },
    malformedIdCode: 'InvalidParameterValue.InvalidActivityId',
  });
  return { TotalCount: total, ActivitySet: page.map(activityRow) };
};

/** An activity as it is at the time of a request. */
interface ActivityNow extends Activity {
  readonly startMs: number;
  /** `Infinity` while it lasts. */
  readonly endMs: number;
}

/** While an activity lasts, its status is RUNNING or INIT, and it has no refusals yet. */
function activityNow(activity: Activity, nowMs: number): ActivityNow {
  const { startMs, endMs } = activityTimes(activity);
  if (endMs <= nowMs) return { ...activity, startMs, endMs };
  const status = activity.status === 'INIT' ? 'INIT' : 'RUNNING';
  return { ...activity, status, refusals: [], startMs, endMs: Infinity };
}

/**
 * A parameter such as `2018-11-20T08:33:56Z`, in milliseconds since the Unix epoch. `null` when it is absent.
 *
 * @throws ServiceError `InvalidParameterValue` for another form
 */
function timeOf(parameters: Parameters, name: string): number | null {
  const text = stringOf(parameters, name);
  if (text === null) return null;
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(ms)) throw new ServiceError('InvalidParameterValue');
  return ms;
}

function activityRow(activity: ActivityNow) {
  const { startMs, endMs } = activity;
  const row = {
    ActivityId: activity.id,
    AutoScalingGroupId: activity.scaling_group,
    ActivityType: activity.type,
    StatusCode: activity.status,
    StatusMessage: '',
    StatusMessageSimplified: '',
    Cause: '',
    Description: '',
    CreatedTime: isoSeconds(startMs),
    StartTime: isoSeconds(startMs),
    EndTime: endMs === Infinity ? null : isoSeconds(endMs),
    DetailedStatusMessageSet: activity.refusals,
  };
  return withOverrides(row, activity);
}
