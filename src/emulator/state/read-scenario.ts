/** Reads scenarios, and finds references to what does not exist: plays each once before it is used. */
import { readYamlFile } from '../../validation/read.ts';
import { hasKeys, type Account } from '../scenario/account.ts';
import type { TimelineEntry } from '../scenario/action.ts';
import type { FaultRule } from '../scenario/fault.ts';
import { scenarioSchema, type Scenario, type ScenarioInput } from '../scenario/scenario.ts';
import { mistake, msOf, validate } from '../scenario/words.ts';
import { EmulatorState, StateError } from './state.ts';
import { Timeline } from './timeline.ts';

type Mistake = readonly [path: readonly (string | number)[], message: string];

const checkedSchema = scenarioSchema.superRefine((scenario, context) => {
  const { accounts, faults } = scenario;
  const found: Mistake[] = [
    ...keyMistakes(accounts),
    ...machineMistakes(scenario),
    ...faults.flatMap((rule, index) =>
      faultMistakes(rule, { ...scenario, faults: faults.slice(0, index) }).map(
        ([path, text]): Mistake => [['faults', index, ...path], text],
      ),
    ),
    ...timelineMistakes(scenario),
  ];
  for (const [path, message] of found) mistake(context, path, message);
});

/** @throws InvalidFileError with all problems of the file */
export function readScenario(file: string): Promise<Scenario> {
  return readYamlFile(file, checkedSchema, scenarioSchema);
}

/** @throws InvalidInputError with all mistakes */
export function validateScenario(input: ScenarioInput): Scenario {
  return validate(checkedSchema, input, 'scenario', scenarioSchema);
}

function keyMistakes(accounts: readonly Account[]): Mistake[] {
  const found: Mistake[] = [];
  const keyless = accounts.find((account) => !hasKeys(account));
  const holders = new Map<string, string>();
  for (const [index, account] of accounts.entries()) {
    if (!hasKeys(account) && keyless?.name !== account.name) {
      const message = `has no keys, and ${keyless?.name ?? ''} takes the requests that are not signed`;
      found.push([['accounts', index], message]);
    }
    for (const [at, { secret_id: id }] of account.keys.entries()) {
      const holder = holders.get(id);
      const path = ['accounts', index, 'keys', at, 'secret_id'];
      if (holder !== undefined) found.push([path, `is the ID of a key of ${holder} already`]);
      holders.set(id, holder ?? account.name);
    }
  }
  return found;
}

function machineMistakes({ accounts, machine }: Scenario): Mistake[] {
  if (machine === undefined) return [];
  const { account: name = accounts[0]?.name } = machine;
  const account = accounts.find((each) => each.name === name);
  if (account === undefined) return [[['machine', 'account'], `no account ${name ?? ''}`]];
  return account.roles.some((role) => role.name === machine.role)
    ? []
    : [[['machine', 'role'], `${account.name} has no role ${machine.role}`]];
}

/** What is wrong with a fault rule that comes after those of the scenario. */
export function faultMistakes(
  { id, account, region, repeats }: FaultRule,
  scenario: Pick<Scenario, 'accounts' | 'faults' | 'timeline_repeats_every'>,
): Mistake[] {
  const { accounts, faults } = scenario;
  const found: Mistake[] = [];
  const named = accounts.filter(({ name }) => account === undefined || name === account);
  if (repeats && scenario.timeline_repeats_every === undefined) {
    found.push([['repeats'], 'needs timeline_repeats_every']);
  }
  if (named.length === 0) found.push([['account'], `no account ${account ?? ''}`]);
  else if (region !== undefined && !named.some((each) => hasRegion(each, region))) {
    const message = account === undefined ? 'no account has' : `${account} does not have`;
    found.push([['region'], `${message} the region ${region}`]);
  }
  if (id !== undefined && faults.some((each) => each.id === id)) {
    found.push([['id'], `${id} appears twice`]);
  }
  return found;
}

function hasRegion({ regions }: Account, region: string): boolean {
  return regions.some(({ name }) => name === region);
}

/** Plays the timeline once, and again where it repeats. */
function timelineMistakes(scenario: Scenario): Mistake[] {
  const { accounts, timeline: entries, timeline_repeats_every: every } = scenario;
  const lastMs = Math.max(0, ...entries.map(({ at }) => msOf(at)));
  const repeatsEveryMs = every === undefined ? null : msOf(every);
  if (repeatsEveryMs !== null && repeatsEveryMs <= lastMs) {
    return [[['timeline_repeats_every'], 'must be after the last entry']];
  }
  const state = new EmulatorState(accounts, 0);
  const found = new Map<TimelineEntry, Mistake>();
  const apply = (entry: TimelineEntry, atMs: number) => {
    try {
      state.apply(entry, atMs);
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      const path = ['timeline', entries.indexOf(entry), ...error.path];
      if (!found.has(entry)) found.set(entry, [path, error.message]);
    }
  };
  new Timeline({ entries, repeatsEveryMs, apply }).applyDue((repeatsEveryMs ?? 0) + lastMs);
  return [...found.values()];
}
