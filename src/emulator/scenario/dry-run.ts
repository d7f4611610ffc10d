/** Finds mistakes of a whole scenario: plays it once on a copy before it is used. */
import { EmulatorState } from '../resources/emulator-state.ts';
import { StateError, within } from '../resources/state-error.ts';
import { createManualClock } from '../time/clock.ts';
import { applyAction, type TimelineEntry } from './actions.ts';
import type { Scenario } from './schema.ts';
import { jsonOf } from './valid-part.ts';
import { Timeline } from './timeline.ts';

/**
 * All mistakes: references to objects that do not exist, and actions that cannot work.
 *
 * @param leftOut invalid parts of the scenario, as JSON; a reference to an object in them is not a mistake
 */
export function dryRun(scenario: Scenario, leftOut: readonly string[]): StateError[] {
  const state = new EmulatorState(createManualClock(0));
  const misbuilt = state.load(scenario.accounts);
  const unknown = misbuilt.map(({ path }) => jsonOf(partAt(scenario, path)));
  return [
    ...misbuilt,
    ...accountErrors(scenario),
    ...machineErrors(scenario),
    ...faultErrors(scenario),
    ...timelineErrors(scenario, state, [...leftOut, ...unknown]),
  ];
}

function accountErrors({ accounts }: Scenario): StateError[] {
  const errors: StateError[] = [];
  const takesUnsigned = ({ keys, roles }: Scenario['accounts'][number]) =>
    keys.length === 0 && roles.length === 0;
  const keyless = accounts.find(takesUnsigned);
  const holders = new Map<string, string>();
  for (const [index, account] of accounts.entries()) {
    const { name, keys } = account;
    const path = ['accounts', index];
    if (takesUnsigned(account) && keyless !== undefined && keyless.name !== name) {
      const message = `has no keys, and ${keyless.name} takes the requests that are not signed`;
      errors.push(new StateError(path, message));
    }
    for (const [at, { secret_id: id }] of keys.entries()) {
      const holder = holders.get(id);
      if (holder !== undefined) {
        const message = `is the ID of a key of ${holder} already`;
        errors.push(new StateError([...path, 'keys', at, 'secret_id'], message));
      }
      holders.set(id, holder ?? name);
    }
  }
  return errors;
}

function machineErrors({ accounts, machine }: Scenario): StateError[] {
  if (machine === undefined) return [];
  const account = accounts.find(({ name }) => name === (machine.account ?? accounts[0]?.name));
  if (account === undefined) {
    return [new StateError(['machine', 'account'], `no account ${machine.account ?? ''}`)];
  }
  return account.roles.some(({ name }) => name === machine.role)
    ? []
    : [new StateError(['machine', 'role'], `${account.name} has no role ${machine.role}`)];
}

function faultErrors({ accounts, faults, ...scenario }: Scenario): StateError[] {
  const errors: StateError[] = [];
  const ids = new Set<string>();
  for (const [index, { id, account, repeats }] of faults.entries()) {
    if (repeats && scenario.timeline_repeats_every === undefined) {
      const message = 'needs timeline_repeats_every';
      errors.push(new StateError(['faults', index, 'repeats'], message));
    }
    if (account !== undefined && accounts.every(({ name }) => name !== account)) {
      errors.push(new StateError(['faults', index, 'account'], `no account ${account}`));
    }
    if (id === undefined) continue;
    if (ids.has(id)) errors.push(new StateError(['faults', index, 'id'], `${id} appears twice`));
    ids.add(id);
  }
  return errors;
}

/** Plays the timeline once, and again where it repeats. */
function timelineErrors(
  scenario: Scenario,
  state: EmulatorState,
  unknown: readonly string[],
): StateError[] {
  const { timeline: entries, timeline_repeats_every: repeatsEveryMs = null } = scenario;
  const lastMs = Math.max(0, ...entries.map((entry) => entry.at));
  if (repeatsEveryMs !== null && repeatsEveryMs <= lastMs) {
    return [new StateError(['timeline_repeats_every'], 'must be after the last entry')];
  }
  const errors = new Map<TimelineEntry, StateError>();
  const apply = (entry: TimelineEntry, atMs: number) => {
    try {
      within(['timeline', entries.indexOf(entry)], () => {
        applyAction(state, entry, atMs);
      });
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      if (!errors.has(entry) && !mentions(entry, unknown)) errors.set(entry, error);
    }
  };
  new Timeline({ entries, repeatsEveryMs, apply }).applyDue((repeatsEveryMs ?? 0) + lastMs);
  return [...errors.values()];
}

/** Whether an entry refers to an object of an invalid part. */
function mentions(entry: TimelineEntry, unknown: readonly string[]): boolean {
  const names = [
    entry.account,
    'region' in entry ? entry.region : undefined,
    'zone' in entry ? entry.zone : undefined,
    'template_id' in entry ? entry.template_id : undefined,
  ];
  return names.some(
    (name) => name !== undefined && unknown.some((json) => json.includes(JSON.stringify(name))),
  );
}

/** The innermost list element on a path. */
function partAt(whole: unknown, path: readonly (string | number)[]): unknown {
  const end = path.findLastIndex((part) => typeof part === 'number');
  return path.slice(0, end + 1).reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null) return null;
    const inner: unknown = Reflect.get(value, key);
    return inner;
  }, whole);
}
