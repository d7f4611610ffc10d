/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A local copy of the services of docs/service.md. It is for testing alerts, for testing clients offline, and
 * for this project's own tests. Where the behaviour of a service is not published, `behaviour` in
 * scenario/scenario.ts and the first comment of each operation describe the chosen behaviour.
 *
 * A folder imports only folders below it. No folder imports this file:
 *   http               input from the network
 *   service            turns a request into a reply
 *   authentication     signatures
 *   operations         one file for each operation, and the table of them
 *   state              the scenario as it is now, its timeline, its clock
 *   scenario           the schema of a scenario
 *   protocol           requests and answers of every operation
 */
import { carryOut, createControlApi, isControlRequest } from './control.ts';
import { serve, type RunningServer } from './http/server.ts';
import { inOriginForm, type EmulatorReply, type EmulatorRequest } from './protocol/message.ts';
import { sampleScenario } from './sample-scenario.ts';
import type { ActionInput } from './scenario/action.ts';
import type { ScenarioInput } from './scenario/scenario.ts';
import { durationText, msOf, validate } from './scenario/words.ts';
import type { Faults } from './service/faults.ts';
import type { ReceivedRequest } from './service/request-log.ts';
import { Service, type EmulatorLog } from './service/service.ts';
import type { BoundedLog } from './state/bounded-log.ts';
import type { Clock } from './state/clock.ts';
import { readScenario, validateScenario } from './state/read-scenario.ts';
import type { EmulatorState } from './state/state.ts';

export { InvalidFileError, type Problem } from '../validation/problem.ts';
export type { EmulatorReply, EmulatorRequest } from './protocol/message.ts';
export type { Account, Policy, TrustPolicy } from './scenario/account.ts';
export type { ActionInput } from './scenario/action.ts';
export type { FaultRule, FaultRuleInput } from './scenario/fault.ts';
export type { ScenarioInput } from './scenario/scenario.ts';
export { InvalidInputError, type OperationName } from './scenario/words.ts';
export type { ActiveFault, Faults } from './service/faults.ts';
export type { ReceivedRequest } from './service/request-log.ts';
export type { EmulatorLog } from './service/service.ts';
export { BoundedLog } from './state/bounded-log.ts';
export { createManualClock, type Clock, type ManualClock } from './state/clock.ts';
export type { EmulatorState, StateChange } from './state/state.ts';

export interface EmulatorOptions {
  /** The path of a scenario file, or a scenario as an object. Defaults to the official samples. */
  readonly scenario?: string | ScenarioInput;
  /** The clock of the emulator. Timestamps of signatures are compared with it. Defaults to the system clock. */
  readonly clock?: Clock;
  /** Returns random numbers from 0 to 1, 1 excluded. They decide which faults are applied. */
  readonly random?: () => number;
  /** Gets a line for each request (debug), and for each timeline entry that fails (warn). */
  readonly log?: EmulatorLog;
}

export interface ServeOptions extends EmulatorOptions {
  /** Defaults to 127.0.0.1. */
  readonly host?: string;
  /** Defaults to 0: a free port. */
  readonly port?: number;
  /** The path of a Unix socket, instead of host and port. */
  readonly socketPath?: string;
}

/** The service in this process, without a network. Everything has the words of a scenario file. */
export interface Emulator {
  /**
   * Carries out an action, or a list of them: `emulator.do({ do: 'set-used', … })`. When one of a list is not
   * possible, none is carried out.
   *
   * @throws InvalidInputError
   */
  readonly do: (actions: ActionInput | readonly ActionInput[]) => void;
  /** The accounts as they are now, and their changes. Only {@link do} may change them. */
  readonly state: Pick<
    EmulatorState,
    | 'accounts'
    | 'account'
    | 'changes'
    | 'quota'
    | 'region'
    | 'sessions'
    | 'subnet'
    | 'template'
    | 'zone'
  >;
  /** The present state as a scenario, which can be started again. It has no timeline and no faults. */
  readonly scenario: () => ScenarioInput;
  readonly faults: Pick<Faults, 'add' | 'list' | 'remove' | 'clear'>;
  /** The received requests, oldest first. The latest 10,000 are kept. */
  readonly requests: BoundedLog<ReceivedRequest>;
  /** Answers one request without delay. The reply contains the latency that it should have. Never throws. */
  readonly handle: (request: EmulatorRequest) => EmulatorReply;
  /**
   * Lets time pass at once, such as `20s`. Due timeline entries are applied, tokens expire, and windows of rate
   * limits and faults begin and end. The time for signatures and for the Date header does not move, because
   * clients use their own clocks for these. A repeating timeline can have more due rounds than the emulator
   * applies at once. Then only the latest rounds are applied.
   *
   * @throws InvalidInputError when it is not a duration
   */
  readonly advance: (duration: string) => void;
  /** The timeline of the scenario. Faults use its time too. */
  readonly timeline: {
    readonly isPaused: boolean;
    /** The elapsed time of the scenario, in milliseconds. It stands still while the timeline is paused. */
    readonly elapsedMs: number;
    readonly pause: () => void;
    readonly resume: () => void;
    /** Applies the next entry now, and pauses. Returns `false` after the last entry. */
    readonly step: () => boolean;
  };
  /** Starts the scenario again, with an empty list of requests. */
  readonly reset: () => void;
}

export interface RunningEmulator extends Emulator, RunningServer {
  /** The same as {@link close}, for `await using emulator = await startEmulator()`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Creates the service for use in this process.
 *
 * @throws InvalidFileError or InvalidInputError with all mistakes of the scenario
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  return fromService(await createService(options));
}

async function createService(options: EmulatorOptions): Promise<Service> {
  const {
    scenario = sampleScenario,
    clock = { now: Date.now },
    random = Math.random,
    log = { warn: () => undefined },
  } = options;
  return new Service({
    scenario:
      typeof scenario === 'string' ? await readScenario(scenario) : validateScenario(scenario),
    clock,
    random,
    log,
  });
}

function fromService(service: Service, ownHost = ''): Emulator {
  const control = createControlApi(service, ownHost);
  return {
    do: (actions) => {
      carryOut(service, actions);
    },
    get state() {
      return service.state;
    },
    scenario: () => service.stateScenario,
    faults: service.faults,
    requests: service.requests,
    handle: (received) => {
      const request = inOriginForm(received);
      return isControlRequest(request) ? control(request) : service.handle(request);
    },
    advance: (duration) => {
      service.advance(msOf(validate(durationText(), duration, 'advance')));
    },
    timeline: {
      get isPaused() {
        return service.timeline.isPaused;
      },
      get elapsedMs() {
        return service.elapsedMs;
      },
      pause: () => {
        service.pauseTimeline();
      },
      resume: () => {
        service.resumeTimeline();
      },
      step: () => service.stepTimeline() !== null,
    },
    reset: () => {
      service.reset();
    },
  };
}

/**
 * Serves the service over HTTP until it is closed. Defaults to the loopback interface.
 *
 * @throws InvalidFileError or InvalidInputError with all mistakes of the scenario
 * @throws the system's error when the emulator cannot listen on the address
 */
export async function startEmulator(options: ServeOptions = {}): Promise<RunningEmulator> {
  const { host = '127.0.0.1', port = 0, socketPath } = options;
  const service = await createService(options);
  const emulator = fromService(service, host);
  const server = await serve(
    {
      handle: emulator.handle,
      refuse: (code) => service.refuse(code),
      clock: service.clientClock,
    },
    {
      address: socketPath === undefined ? { host, port } : { socketPath },
      requestsPerConnection: service.scenario.requests_per_connection ?? 0,
      idleConnectionMs: msOf(service.scenario.idle_connection),
    },
  );
  // A spread would read the getter of the state only once.
  return Object.assign(emulator, server, { [Symbol.asyncDispose]: server.close });
}
