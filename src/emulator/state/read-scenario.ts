/**
 * Reads and validates a scenario for `emulator.ts`: its form, its references to accounts, regions, roles and keys,
 * and its timeline, which is played once on a trial state, so that an impossible entry is found before the emulator
 * starts.
 */
import { suggestion } from '../../validation/nearest.ts';
import { formatPath } from '../../validation/problem.ts';
import { readYamlFile } from '../../validation/read-yaml.ts';
import { hasKeys, type Account } from '../scenario/account.ts';
import type { TimelineEntry } from '../scenario/action.ts';
import type { FaultRule } from '../scenario/fault.ts';
import { scenarioSchema, type Scenario, type ScenarioInput } from '../scenario/scenario.ts';
import { msOf } from '../../validation/duration.ts';
import { addIssue } from '../scenario/schema-parts.ts';
import { InvalidInputError, validate } from '../scenario/validate.ts';
import { checkState, findAccount, nameOf, stateErrorOf, type StateError } from './state.ts';
import { Timeline } from './timeline.ts';

type Report = (path: StateError['path'], message: string) => void;

const checkedSchema = scenarioSchema.superRefine((scenario, context) => {
  const { accounts, faults, machine } = scenario;
  const report: Report = (path, message) => {
    addIssue(context, path, message);
  };
  checkKeys(accounts, report);
  const checkPart = (path: StateError['path'], check: () => void) => {
    const problem = stateErrorOf(check);
    if (problem !== null) report([...path, ...problem.path], problem.message);
  };
  if (machine !== undefined) {
    checkPart(['machine'], () => {
      const { roles } = findAccount(accounts, machine.account);
      const hasRole = roles.some(({ name }) => name === machine.role);
      checkState(hasRole, 'role', `the account has no role ${machine.role}`);
    });
  }
  for (const [index, rule] of faults.entries()) {
    checkPart(['faults', index], () => {
      checkFault(rule, accounts);
    });
  }
  checkTimeline(scenario, report);
});

/** Runs `work`. @throws InvalidInputError for a StateError of it, with `path` before the path of the error. */
export function asInputError(what: string, path: StateError['path'], work: () => void): void {
  const problem = stateErrorOf(work);
  if (problem === null) return;
  throw new InvalidInputError(what, [
    `${formatPath([...path, ...problem.path])}: ${problem.message}`,
  ]);
}

/** @throws InvalidFileError with all problems of the file */
export function readScenario(file: string): Promise<Scenario> {
  return readYamlFile(file, checkedSchema);
}

/** @throws InvalidInputError with all mistakes */
export function validateScenario(input: ScenarioInput): Scenario {
  return validate(checkedSchema, input, 'scenario');
}

/** Reports a second account without keys, and a SecretId that occurs twice. */
function checkKeys(accounts: readonly Account[], report: Report): void {
  const keyless = accounts.find((account) => !hasKeys(account));
  const holderOfId = new Map<string, string>();
  for (const [index, account] of accounts.entries()) {
    const { name } = account;
    if (!hasKeys(account) && keyless !== undefined && keyless.name !== name) {
      const message = `has no keys, and ${keyless.name} takes the requests that are not signed`;
      report(['accounts', index], message);
    }
    for (const [keyIndex, { secret_id: id }] of account.keys.entries()) {
      const otherHolder = holderOfId.get(id);
      const path = ['accounts', index, 'keys', keyIndex, 'secret_id'];
      if (otherHolder !== undefined) report(path, `is the ID of a key of ${otherHolder} already`);
      holderOfId.set(id, otherHolder ?? name);
    }
  }
}

/**
 * Refuses a fault rule that could never apply. `service/faults.ts` calls it for rules that are added later.
 *
 * @throws StateError when its account or region does not exist
 */
export function checkFault({ account, region }: FaultRule, all: readonly Account[]): void {
  const accounts = account === undefined ? all : [findAccount(all, account)];
  const names = accounts.flatMap(({ regions }) => regions.map(nameOf));
  const hint = suggestion(region, names);
  const message = `no account that it is for has the region ${region ?? ''}${hint}`;
  checkState(region === undefined || names.includes(region), 'region', message);
}

/** Plays the timeline to its last entry, or one round further where it repeats. Reports each wrong entry once. */
function checkTimeline(scenario: Scenario, report: Report): void {
  const { timeline, timeline_repeats_every: every = '0s' } = scenario;
  const lastMs = Math.max(0, ...timeline.map(({ at }) => msOf(at)));
  if (scenario.timeline_repeats_every !== undefined && msOf(every) <= lastMs) {
    report(['timeline_repeats_every'], 'must be after the last entry');
    return;
  }
  const reported = new Set<TimelineEntry>();
  let nowMs = 0;
  const played = new Timeline(
    scenario,
    () => nowMs,
    (entry, { message, path }) => {
      if (!reported.has(entry)) report(['timeline', timeline.indexOf(entry), ...path], message);
      reported.add(entry);
    },
  );
  nowMs = msOf(every) + lastMs;
  played.applyDue();
}
