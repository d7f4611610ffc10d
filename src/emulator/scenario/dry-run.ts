/** Finds mistakes of a whole scenario: plays it once on a copy before it is used. */
import type { AccountContent } from '../resources/accounts.ts';
import { EmulatorState } from '../resources/emulator-state.ts';
import { StateError, within } from '../resources/state-error.ts';
import { createManualClock } from '../time/clock.ts';
import { applyAction, type TimelineEntry } from './actions.ts';
import type { Scenario } from './schema.ts';
import { Timeline } from './timeline.ts';

/**
 * All mistakes: references to objects that do not exist, and actions that cannot work.
 *
 * @param leftOut invalid parts of the scenario, as JSON; a reference to an object in them is not a mistake
 */
export function dryRun(scenario: Scenario, leftOut: readonly string[]): StateError[] {
  const state = new EmulatorState(createManualClock(0));
  state.load(scenario.accounts);
  return [
    ...accountErrors(scenario),
    ...machineErrors(scenario, leftOut),
    ...faultErrors(scenario, leftOut),
    ...timelineErrors(scenario, state, leftOut),
  ];
}

function accountErrors({ accounts }: Scenario): StateError[] {
  const errors: StateError[] = [];
  const keyless = [...accounts.values()].find(takesUnsigned);
  const holders = new Map<string, string>();
  for (const [index, account] of [...accounts.values()].entries()) {
    const { name, keys } = account;
    const path = ['accounts', index];
    if (takesUnsigned(account) && keyless !== undefined && keyless.name !== name) {
      const message = `has no keys, and ${keyless.name} takes the requests that are not signed`;
      errors.push(new StateError(path, message));
    }
    for (const [at, { secretId: id }] of keys.entries()) {
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

function takesUnsigned({ keys, roles }: AccountContent): boolean {
  return keys.length === 0 && roles.size === 0;
}

function machineErrors({ accounts, machine }: Scenario, leftOut: readonly string[]): StateError[] {
  if (machine === undefined || mentions(leftOut, machine.account, machine.role)) return [];
  const [first = ''] = accounts.keys();
  const { account: name = first } = machine;
  const account = accounts.get(name);
  if (account === undefined) {
    return [new StateError(['machine', 'account'], `no account ${name}`)];
  }
  return account.roles.has(machine.role)
    ? []
    : [new StateError(['machine', 'role'], `${account.name} has no role ${machine.role}`)];
}

function faultErrors(
  { accounts, faults, ...scenario }: Scenario,
  leftOut: readonly string[],
): StateError[] {
  const errors: StateError[] = [];
  const ids = new Set<string>();
  for (const [index, { id, account, repeats }] of faults.entries()) {
    if (repeats && scenario.timelineRepeatsEveryMs === undefined) {
      const message = 'needs timeline_repeats_every';
      errors.push(new StateError(['faults', index, 'repeats'], message));
    }
    if (account !== undefined && !accounts.has(account) && !mentions(leftOut, account)) {
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
  leftOut: readonly string[],
): StateError[] {
  const { timeline: entries, timelineRepeatsEveryMs: repeatsEveryMs = null } = scenario;
  const lastMs = Math.max(0, ...entries.map(({ atMs }) => atMs));
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
      if (!errors.has(entry) && !mentions(leftOut, ...namesIn(entry))) errors.set(entry, error);
    }
  };
  new Timeline({ entries, repeatsEveryMs, apply }).applyDue((repeatsEveryMs ?? 0) + lastMs);
  return [...errors.values()];
}

/** The names of the objects that an entry refers to. */
function namesIn(entry: TimelineEntry): readonly (string | undefined)[] {
  return [
    entry.account,
    'region' in entry ? entry.region : undefined,
    'zone' in entry ? entry.zone : undefined,
    'templateId' in entry ? entry.templateId : undefined,
  ];
}

/** Whether an invalid part has one of the names. */
function mentions(leftOut: readonly string[], ...names: readonly (string | undefined)[]): boolean {
  return names.some(
    (name) => name !== undefined && leftOut.some((json) => json.includes(JSON.stringify(name))),
  );
}
