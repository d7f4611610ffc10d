/**
 * The entry of the package for code: a local copy of the services of docs/service.md. The commands `emulate` and
 * `demo`, tests of this project, and other projects start it here. Where the behaviour of a service is not published,
 * `behaviour` in scenario/scenario.ts and the first comment of each operation describe the chosen behaviour.
 *
 * A folder imports only folders below it. No folder imports this file:
 *   http               receives requests from the network and sends replies
 *   service            turns a request into a reply
 *   authentication     finds the account of a request and checks its signature
 *   operations         a file for each operation, or for those of one kind, and their table
 *   state              the scenario as it is now, its timeline, its clock
 *   protocol           decodes requests and their parameters; the envelope of answers
 *   scenario           the schema of a scenario
 */
import { createControlApi } from './control.ts';
import { serve, type RunningServer } from './http/server.ts';
import type { EmulatorReply, EmulatorRequest } from './protocol/message.ts';
import { demoScenarioFile } from './scenario-files.ts';
import type { ActionInput } from './scenario/action.ts';
import type { ScenarioInput } from './scenario/scenario.ts';
import { Service, type ServiceOptions } from './service/service.ts';
import { readScenario } from './state/read-scenario.ts';

export { InvalidFileError, type Problem } from '../validation/problem.ts';
export type { EmulatorReply, EmulatorRequest } from './protocol/message.ts';
export type { Account } from './scenario/account.ts';
export type { Policy, TrustPolicy } from './scenario/policy.ts';
export type { ActionInput } from './scenario/action.ts';
export type { FaultRule, FaultRuleInput } from './scenario/fault.ts';
export type { ScenarioInput } from './scenario/scenario.ts';
export { InvalidInputError } from './scenario/validate.ts';
export { type OperationName } from './scenario/vocabulary.ts';
export type { ActiveFault, Faults } from './service/faults.ts';
export type { ReceivedRequest } from './service/request-log.ts';
export type { EmulatorLog } from './service/service.ts';
export { BoundedLog } from './state/bounded-log.ts';
export { createManualClock, type Clock, type ManualClock } from './state/clock.ts';
export type { EmulatorState, StateChange } from './state/state.ts';

export interface EmulatorOptions extends ServiceOptions {
  /** The path of a scenario file, or a scenario as an object. Defaults to that of `demo`. */
  readonly scenario?: string | ScenarioInput;
}

export interface ServeOptions extends EmulatorOptions {
  /** Defaults to 127.0.0.1. */
  readonly host?: string;
  /** Defaults to 0: a free port. */
  readonly port?: number;
}

/** The service in this process, without a network. Arguments and results have the keys of a scenario file. */
export interface Emulator extends Pick<
  Service,
  'advance' | 'faults' | 'requests' | 'reset' | 'scenario' | 'state'
> {
  /**
   * Carries out an action, or a list of them. When one of a list is not possible, none is carried out.
   *
   * @throws InvalidInputError
   */
  readonly do: (input: ActionInput | readonly ActionInput[]) => void;
  /** Answers one request at once. The caller delays the reply by its `latencyMs`, if it wants to. Never throws. */
  readonly handle: (request: EmulatorRequest) => EmulatorReply;
}

export interface RunningEmulator extends Emulator, RunningServer {}

/**
 * Creates the service for use in this process.
 *
 * @throws InvalidFileError or InvalidInputError with all mistakes of the scenario
 */
export function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  return createService(options, '');
}

/** @param host the name that the emulator listens on; empty without a network */
async function createService(options: EmulatorOptions, host: string) {
  const scenario = await readScenario(options.scenario ?? demoScenarioFile);
  const service = new Service(scenario, options);
  const control = createControlApi(service, host);
  const handle = (request: EmulatorRequest) => control(request) ?? service.answer(request);
  return Object.assign(service, { handle });
}

/**
 * Serves the service over HTTP until it is closed. Defaults to the loopback interface.
 *
 * @throws InvalidFileError or InvalidInputError with all mistakes of the scenario
 * @throws the system's error when the emulator cannot listen on the address
 */
export async function startEmulator(options: ServeOptions = {}): Promise<RunningEmulator> {
  const { host = '127.0.0.1', port = 0 } = options;
  const service = await createService(options, host);
  const server = await serve(service.handle, service.clientClock, { host, port });
  return Object.assign(service, server);
}
