/**
 * The record of the kind of `activities.ts`, and its comparison: counts what scaling groups did. Pure. An activity is
 *
 * - running, from when it is first read: since then it is certain whether it was foretold;
 * - ended, when an answer says so: it is counted then, once;
 * - forgotten, when the window begins after it, or two answers in a row lack it while it runs.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Comparison } from '../../model/advance.ts';
import type { Difference } from '../../model/change.ts';
import { lackedAfter, pollsToAbsent } from '../../model/inventory.ts';
import { reasonOfCode } from '../../model/launches/codes.ts';
import { snapshotSchema } from '../../model/poll-outcome.ts';
import { recordSchema, type SnapshotOf } from '../../model/record.ts';
import { count, text, timeMs, zoneOrNull, type Stored } from '../../model/stored.ts';

export const outcomes = ['successful', 'partial', 'failed', 'cancelled'] as const;

/** An activity that started instances, or tried to. */
const activitySchema = z.object({
  id: text,
  groupId: text,
  startMs: timeMs,
  /** `null` while it runs. */
  end: z.object({ atMs: timeMs, outcome: z.enum(outcomes) }).nullable(),
  /** Each code once. Not empty if it failed, or succeeded in part only. */
  refusals: z.array(z.object({ code: text, zone: zoneOrNull })),
});
type Activity = Stored<typeof activitySchema>;

/** What started since a time, which is read in pages and may take several polls. */
const windowSchema = z.object({
  sinceMs: timeMs,
  /** The number of its rows that were read. */
  offset: count,
});

/** What is counted of a scaling group. */
const groupSchema = z.object({
  id: text,
  /** The number of activities by outcome and whether they were foretold: `failed true`. An absent key is 0. */
  ended: z.record(text, count),
  /**
   * The number of activities by code: at most {@link maxCodes} codes, and {@link otherCode}. The reason is that of the
   * first one.
   */
  refusals: z.array(z.object({ code: text, reason: text, count })),
  /** How the last activity that ended failed. `null` if it had success, or none has ended. */
  failing: z.object({ code: text, reason: text, zone: zoneOrNull }).nullable(),
  /** When the last activity ended, but for cancelled ones. 0 before the first one. */
  lastEndMs: timeMs,
});
export type GroupCounts = Stored<typeof groupSchema>;

/** A stored record of the activities of a region. */
export const activityRecord = recordSchema({
  target: {
    /** The IDs of the scaling groups that are asked about. */
    groups: z.array(text),
    /** The IDs of the groups that the monitor called blocked or short before the poll: a failure of them is foretold. */
    foretold: z.array(text),
  },
  durable: {
    /** `null` before the first success. */
    window: windowSchema.nullable().default(null),
    /** The activities that ran when they were last read. The first ones wait longest to be read again. */
    running: z
      .array(z.object({ id: text, groupId: text, foretold: z.boolean(), lackedPolls: count }))
      .default([]),
    /** The activities of the window that have ended: they are counted. */
    ended: z.array(z.object({ id: text, startMs: timeMs })).default([]),
    /** Also of groups that are not watched now, so that one that returns goes on. */
    groups: z.array(groupSchema).default([]),
  },
  /** What one poll read. */
  snapshot: snapshotSchema({
    activities: z.array(activitySchema),
    /** The window of the record when the poll began. */
    asked: windowSchema.nullable(),
    /** The window that the next poll reads. */
    next: windowSchema,
    /** The IDs of activities that ran, and that the answer about them lacks. */
    lacking: z.array(text),
  }),
});
export type ActivityRecord = Stored<typeof activityRecord>;

const maxGroups = 2_000;
const maxRunning = 1_000;
/** The label of codes beyond the maximum, and of texts that do not look like codes. */
export const otherCode = 'other';
export const maxCodes = 16;

/**
 * The `compare` of the kind. An activity that had ended when its group was first read is not counted, but it says
 * whether the group fails. If the record has another window than when the poll began, the window stays.
 */
export function countActivities(
  { durable: before, target: { foretold, groups: watched } }: ActivityRecord,
  { activities, asked, lacking, next }: SnapshotOf<ActivityRecord>,
): Comparison<ActivityRecord['durable']> {
  // The first poll that has a group to read also asks what runs.
  if (watched.length === 0 && before.window === null) return {};
  const window = isDeepStrictEqual(before.window, asked) ? next : (before.window ?? next);
  const groupsBefore = new Map(before.groups.map((group) => [group.id, group]));
  const groups = new Map([...watched.map((id) => [id, newGroup(id)] as const), ...groupsBefore]);
  /** What ran before, and was not read now. */
  const notRead = new Map(before.running.map((one) => [one.id, one]));
  const running: (typeof before.running)[number][] = [];
  const ended = new Map(before.ended.map((one) => [one.id, one]));
  for (const activity of activities.toSorted((a, b) => a.startMs - b.startMs)) {
    const { end, groupId, id, startMs } = activity;
    const runningBefore = notRead.get(id);
    const group = groups.get(groupId);
    // What started before the window and did not run was never counted, or is forgotten.
    const isOld = runningBefore === undefined && startMs < (before.window?.sinceMs ?? 0);
    if (group === undefined || isOld || ended.has(id)) continue;
    notRead.delete(id);
    const isForetold = runningBefore?.foretold ?? foretold.includes(groupId);
    if (end === null) {
      running.push({ id, groupId, foretold: isForetold, lackedPolls: 0 });
      continue;
    }
    ended.set(id, { id, startMs });
    const isCounted = groupsBefore.has(groupId);
    groups.set(groupId, groupAfter(group, { ...activity, end }, isForetold, isCounted));
  }
  const mayRun = [...notRead.values()].flatMap((one) => {
    const presence = lacking.includes(one.id) ? 'lacking' : 'possible';
    const lackedPolls = lackedAfter(one.lackedPolls, presence);
    return lackedPolls < pollsToAbsent ? { ...one, lackedPolls } : [];
  });
  return {
    durable: {
      window,
      running: [...mayRun, ...running].slice(0, maxRunning),
      ended: [...ended.values()].filter(({ startMs }) => startMs >= window.sinceMs),
      groups: [...groups.values()].slice(0, Math.max(maxGroups, watched.length)),
    },
    differences: watched.flatMap((id) => changesOf(groupsBefore.get(id), groups.get(id))),
  };
}

const newGroup = (id: string): GroupCounts => {
  return { id, ended: {}, refusals: [], failing: null, lastEndMs: 0 };
};

/**
 * A group after one of its activities ended.
 *
 * @param isCounted `false`: the activity had ended when the group was first read, so that no number grows
 */
function groupAfter(
  group: GroupCounts,
  { end, refusals: given }: Activity & { readonly end: NonNullable<Activity['end']> },
  isForetold: boolean,
  isCounted: boolean,
): GroupCounts {
  const added = isCounted ? 1 : 0;
  const outcome = `${end.outcome} ${isForetold}`;
  const counts = new Map(group.refusals.map((refusal) => [refusal.code, refusal]));
  /** The zone of each code of the activity. */
  const zones = new Map<string, string | null>();
  for (const { code: named, zone } of given) {
    const code = counts.has(named) || counts.size < maxCodes ? named : otherCode;
    if (zones.has(code)) continue;
    zones.set(code, zone);
    const last = counts.get(code) ?? { code, reason: reasonOfCode(code) ?? 'other', count: 0 };
    counts.set(code, { ...last, count: last.count + added });
  }
  const refusals = [...counts.values()];
  const ended = { ...group.ended, [outcome]: (group.ended[outcome] ?? 0) + added };
  const counted = { ...group, refusals, ended };
  // An activity that is read late says nothing about the present state. A cancelled one says nothing about any state.
  if (end.atMs < group.lastEndMs || end.outcome === 'cancelled') return counted;
  // Of several codes, the one with which the group failed already: so its change is counted once.
  const lastCode = group.failing?.code ?? '';
  const code = zones.has(lastCode) ? lastCode : [...zones.keys()][0];
  const refusal = code === undefined ? undefined : counts.get(code);
  const hasFailed = end.outcome !== 'successful' && refusal !== undefined;
  const failing = hasFailed
    ? { code: refusal.code, reason: refusal.reason, zone: zones.get(refusal.code) ?? null }
    : null;
  return { ...counted, lastEndMs: end.atMs, failing };
}

/** The change of a group that begins to fail, fails with another code, or has success again. A new group has no change. */
function changesOf(before?: GroupCounts, after?: GroupCounts): readonly Difference[] {
  if (before === undefined || after === undefined) return [];
  const from = before.failing?.code ?? null;
  const to = after.failing?.code ?? null;
  if (from === to) return [];
  const kind = to === null ? 'scale-out-recovered' : 'scale-out-failed';
  const extraLabels = { scaling_group_id: after.id };
  return [{ kind, from, to, zone: (after.failing ?? before.failing)?.zone ?? null, extraLabels }];
}
