/**
 * Reads and validates a scenario for `emulator.ts`: its form, its references to accounts, regions, roles and keys,
 * and its timeline, which is played once on a trial state, so that an impossible entry is found before the emulator
 * starts.
 */
import { suggestion } from '../../validation/nearest.ts';
import { readYamlFile } from '../../validation/read-yaml.ts';
import { hasKeys, type Account } from '../scenario/account.ts';
import type { TimelineEntry } from '../scenario/action.ts';
import type { FaultRule } from '../scenario/fault.ts';
import { scenarioSchema, type Scenario, type ScenarioInput } from '../scenario/scenario.ts';
import { msOf } from '../../validation/duration.ts';
import { addIssue } from '../scenario/schema-parts.ts';
import { validate } from '../scenario/validate.ts';
import { applyAction } from './apply-action.ts';
import { EmulatorState, StateError, namesOf } from './state.ts';
import { Timeline } from './timeline.ts';

type Path = readonly (string | number)[];
type Report = (path: Path, message: string) => void;

const checkedSchema = scenarioSchema.superRefine((scenario, context) => {
  const { accounts, faults, machine } = scenario;
  const report: Report = (path, message) => {
    addIssue(context, path, message);
  };
  const state = new EmulatorState(accounts, 0);
  checkKeys(accounts, report);
  if (machine !== undefined) {
    reportStateErrors(['machine'], report, () => {
      if (state.account(machine.account).roles.some(hasName(machine.role))) return;
      throw new StateError(['role'], `the account has no role ${machine.role}`);
    });
  }
  for (const [index, rule] of faults.entries()) {
    checkFault(rule, { accounts, faults: faults.slice(0, index) }, (path, message) => {
      report(['faults', index, ...path], message);
    });
  }
  checkTimeline(scenario, state, report);
});

function hasName(wanted: string) {
  return ({ name }: { readonly name: string }): boolean => name === wanted;
}

/** Runs `work`, and reports a StateError of it. The path of the error is appended to `path`. */
function reportStateErrors(path: Path, report: Report, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    report([...path, ...error.path], error.message);
  }
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
 * Reports a fault rule that could never apply, because an account or region does not exist, and one that has the ID
 * of one of `faults`. `service/faults.ts` calls it for rules that are added later.
 */
export function checkFault(
  { id, account, region }: FaultRule,
  { accounts, faults }: Pick<Scenario, 'accounts' | 'faults'>,
  report: Report,
): void {
  const named = account === undefined ? accounts : accounts.filter(hasName(account));
  const regions = named.flatMap((each) => each.regions);
  if (named.length === 0) {
    report(['account'], `no account ${account ?? ''}${suggestion(account, namesOf(accounts))}`);
  } else if (region !== undefined && !regions.some(hasName(region))) {
    const hint = suggestion(region, namesOf(regions));
    report(['region'], `no account that it is for has the region ${region}${hint}`);
  }
  if (id !== undefined && faults.some((other) => other.id === id)) {
    report(['id'], `${id} appears twice`);
  }
}

/** Plays the timeline to its last entry, or one round further where it repeats. Reports each wrong entry once. */
function checkTimeline(scenario: Scenario, state: EmulatorState, report: Report): void {
  const { timeline: entries, timeline_repeats_every: every } = scenario;
  const lastMs = Math.max(0, ...entries.map(({ at }) => msOf(at)));
  const repeatsEveryMs = every === undefined ? null : msOf(every);
  if (repeatsEveryMs !== null && repeatsEveryMs <= lastMs) {
    report(['timeline_repeats_every'], 'must be after the last entry');
    return;
  }
  const reported = new Set<TimelineEntry>();
  const now = () => (repeatsEveryMs ?? 0) + lastMs;
  const apply = (entry: TimelineEntry, atMs: number) => {
    const reportOnce: Report = (path, message) => {
      if (!reported.has(entry)) report(path, message);
      reported.add(entry);
    };
    const { at: _at, ...action } = entry;
    reportStateErrors(['timeline', entries.indexOf(entry)], reportOnce, () => {
      applyAction(state, action, atMs);
    });
  };
  new Timeline({ now, entries, repeatsEveryMs, apply }).applyDue();
}
