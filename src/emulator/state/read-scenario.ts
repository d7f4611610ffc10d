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
  const { accounts, faults, machine } = scenario;
  const state = new EmulatorState(accounts, 0);
  const ofMachine = mistakesOf(['machine'], () => {
    const role = machine && state.account(machine.account).roles.find(isNamed(machine.role));
    if (role === undefined && machine !== undefined) {
      throw new StateError(['role'], `the account has no role ${machine.role}`);
    }
  });
  const ofFaults = faults.flatMap((rule, index) =>
    faultMistakes(rule, { accounts, faults: faults.slice(0, index) }).map(
      ([path, text]): Mistake => [['faults', index, ...path], text],
    ),
  );
  for (const [path, message] of [
    ...keyMistakes(accounts),
    ...ofMachine,
    ...ofFaults,
    ...timelineMistakes(scenario, state),
  ]) {
    mistake(context, path, message);
  }
});

function isNamed(wanted: string) {
  return ({ name }: { readonly name: string }): boolean => name === wanted;
}

/** What the state does not allow. */
function mistakesOf(path: readonly (string | number)[], work: () => void): Mistake[] {
  try {
    work();
    return [];
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return [[[...path, ...error.path], error.message]];
  }
}

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

/** What is wrong with a fault rule that comes after those of the scenario. */
export function faultMistakes(
  { id, account, region }: FaultRule,
  { accounts, faults }: Pick<Scenario, 'accounts' | 'faults'>,
): Mistake[] {
  const found: Mistake[] = [];
  const named = account === undefined ? accounts : accounts.filter(isNamed(account));
  if (named.length === 0) found.push([['account'], `no account ${account ?? ''}`]);
  else if (region !== undefined && !named.some(({ regions }) => regions.some(isNamed(region)))) {
    found.push([['region'], `no account that it is for has the region ${region}`]);
  }
  if (id !== undefined && faults.some((each) => each.id === id)) {
    found.push([['id'], `${id} appears twice`]);
  }
  return found;
}

/** Plays the timeline once, and again where it repeats. */
function timelineMistakes(scenario: Scenario, state: EmulatorState): Mistake[] {
  const { timeline: entries, timeline_repeats_every: every } = scenario;
  const lastMs = Math.max(0, ...entries.map(({ at }) => msOf(at)));
  const repeatsEveryMs = every === undefined ? null : msOf(every);
  if (repeatsEveryMs !== null && repeatsEveryMs <= lastMs) {
    return [[['timeline_repeats_every'], 'must be after the last entry']];
  }
  const found = new Map<TimelineEntry, Mistake[]>();
  const now = () => (repeatsEveryMs ?? 0) + lastMs;
  const apply = (entry: TimelineEntry, atMs: number) => {
    const mistakes = mistakesOf(['timeline', entries.indexOf(entry)], () => {
      state.apply(entry, atMs);
    });
    if (mistakes.length > 0 && !found.has(entry)) found.set(entry, mistakes);
  };
  new Timeline({ now, entries, repeatsEveryMs, apply }).applyDue();
  return [...found.values()].flat();
}
