/**
 * Reads and validates a scenario for `emulator.ts`: its form, its references to accounts, regions, roles and keys,
 * and its timeline, which is played once on a trial state, so that an impossible entry is found before the emulator
 * starts.
 */
import { readYamlFile } from '../../validation/read-yaml.ts';
import type { z } from 'zod';
import { hasKeys, type Account } from '../scenario/account.ts';
import type { TimelineEntry } from '../scenario/action.ts';
import type { FaultRule } from '../scenario/fault.ts';
import { scenarioSchema, type Scenario, type ScenarioInput } from '../scenario/scenario.ts';
import { msOf } from '../../validation/duration.ts';
import { addIssue, type Path } from '../scenario/schema-parts.ts';
import { InvalidInputError, validate } from '../scenario/validate.ts';
import { find, findAccount, nameOf, stateErrorOf, type StateError } from './state.ts';
import { startTimeline } from './timeline.ts';

/** The schema of a scenario with the checks of its references and its timeline. */
const checkedSchema = scenarioSchema.superRefine((scenario, context) => {
  const { accounts, faults, machine } = scenario;
  checkKeys(accounts, context);
  const machineProblem = stateErrorOf(() => {
    if (machine === undefined) return;
    const { roles } = findAccount(accounts, machine.account);
    find(roles, nameOf, 'role', machine.role, 'the account has no role');
  });
  report(context, ['machine'], machineProblem);
  for (const [index, rule] of faults.entries()) {
    report(context, ['faults', index], faultProblem(rule, accounts));
  }
  checkTimeline(scenario, context);
});

/** Reports a problem, if there is one, of what is at `path`. */
function report(context: z.RefinementCtx, path: Path, problem: StateError | null) {
  if (problem !== null) addIssue(context, [...path, ...problem.path], problem.message);
}

/** @throws InvalidInputError for a problem, if there is one, of what is at `path` of the input */
export function refuseProblem(what: string, path: Path, problem: StateError | null) {
  if (problem === null) return;
  const { message } = problem;
  throw new InvalidInputError(what, [{ path: [...path, ...problem.path], message }]);
}

/**
 * Reads a scenario from a file, or from an object.
 *
 * @throws InvalidFileError or InvalidInputError with all mistakes
 */
export async function readScenario(fileOrInput: string | ScenarioInput): Promise<Scenario> {
  return typeof fileOrInput === 'string'
    ? readYamlFile(fileOrInput, checkedSchema)
    : validate(checkedSchema, fileOrInput, 'scenario');
}

/** Reports a second account without keys, and a SecretId that occurs twice. */
function checkKeys(accounts: readonly Account[], context: z.RefinementCtx): void {
  const keyless = accounts.find((account) => !hasKeys(account));
  const holderOfId = new Map<string, string>();
  for (const [index, account] of accounts.entries()) {
    const { name } = account;
    if (!hasKeys(account) && keyless !== undefined && keyless.name !== name) {
      const message = `has no keys, and ${keyless.name} takes the requests that are not signed`;
      addIssue(context, ['accounts', index], message);
    }
    for (const [keyIndex, { secret_id: id }] of account.keys.entries()) {
      const otherHolder = holderOfId.get(id);
      const path = ['accounts', index, 'keys', keyIndex, 'secret_id'];
      const message = `is the ID of a key of ${otherHolder} already`;
      if (otherHolder !== undefined) addIssue(context, path, message);
      holderOfId.set(id, otherHolder ?? name);
    }
  }
}

/**
 * The problem of a fault rule that could never apply: its account or region does not exist. `null` when both do.
 * `service/faults.ts` calls it for rules that are added later.
 */
export function faultProblem({ account, region }: FaultRule, accounts: readonly Account[]) {
  return stateErrorOf(() => {
    const subjects = account === undefined ? accounts : [findAccount(accounts, account)];
    const regions = subjects.flatMap((candidate) => candidate.regions);
    const problem = 'no account that it is for has the region';
    if (region !== undefined) find(regions, nameOf, 'region', region, problem);
  });
}

/** Plays the timeline to its last entry, or one round more if it repeats. Reports each wrong entry once. */
function checkTimeline(scenario: Scenario, context: z.RefinementCtx): void {
  const { timeline, timeline_repeats_every: every = '0s' } = scenario;
  const lastMs = Math.max(0, ...timeline.map(({ at }) => msOf(at)));
  if (scenario.timeline_repeats_every !== undefined && msOf(every) <= lastMs) {
    addIssue(context, ['timeline_repeats_every'], 'must be after the last entry');
    return;
  }
  // A longer time is a mistake that is reported already, and may have no date.
  if (msOf(every) + lastMs > 2 * msOf('365d')) return;
  const reported = new Set<TimelineEntry>();
  const trial = startTimeline(scenario, 0, (entry, problem) => {
    if (!reported.has(entry)) report(context, ['timeline', timeline.indexOf(entry)], problem);
    reported.add(entry);
  });
  trial.stateAt(msOf(every) + lastMs);
}
