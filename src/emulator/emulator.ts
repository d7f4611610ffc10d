/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A local copy of the service of docs/service.md. It is for testing alerts, for testing clients offline, and
 * for this project's own tests. Where the behaviour of the service is not published, scenario/behaviour.ts
 * and the first comment of each operation.ts describe the chosen behaviour.
 *
 * A folder imports only folders below it. No folder imports this file:
 *   recording                answers of the real service, kept and given again
 *   http, control            input from the network
 *   service                  turns a request into a reply
 *   authentication, operations/NAME
 *   operations               code that operations share
 *   scenario                 the initial state, and the timeline
 *   faults, resources        the faults; the state of the service
 *   access                   policies of keys and roles
 *   protocol                 requests and answers of every operation
 *   input                    validation, and the names of the same things in files and in code
 *   time                     clocks
 */
import { silentLog, type EmulatorLog } from './log.ts';
import type { BoundedLog } from './resources/bounded-log.ts';
import type { Clock } from './time/clock.ts';
import { createControlApi, isControlRequest } from './control/control-api.ts';
import type { Faults } from './faults/faults.ts';
import { listen, type ListeningServer, type ListenOptions } from './http/listen.ts';
import { inOriginForm, type EmulatorReply, type EmulatorRequest } from './protocol/message.ts';
import { sampleScenario } from './scenario/sample.ts';
import { readScenario, validateScenario } from './scenario/scenario.ts';
import type { ScenarioInput } from './scenario/scenario-input.ts';
import type { ReceivedRequest } from './service/request-log.ts';
import { Service } from './service/service.ts';
import type { LiveState } from './service/live-state.ts';

export { createManualClock, type Clock, type ManualClock } from './time/clock.ts';
export { BoundedLog } from './resources/bounded-log.ts';
export { InvalidInputError } from './input/validate.ts';
export { InvalidFileError, type Problem } from '../validation/problem.ts';
export { StateError } from './resources/state-error.ts';
export type { FaultRule, FaultRuleInput } from './faults/fault-rule.ts';
export type { FaultRuleBase, FaultRuleScenario } from './faults/fault-rule-scenario.ts';
export type { ActiveFault, FaultDecision, Faults, FaultSubject } from './faults/faults.ts';
export type { Policy, TrustPolicy } from './access/policy.ts';
export type { OperationName } from './protocol/operation-names.ts';
export type { ParameterValue } from './protocol/parameters.ts';
export type { Delivery, EmulatorReply, EmulatorRequest } from './protocol/message.ts';
export type {
  EmulatorState,
  QuotaPlace,
  RegionPlace,
  TemplatePlace,
} from './resources/emulator-state.ts';
export type { AccessKey, Account, OidcProvider, Role, Session } from './resources/accounts.ts';
export type { GroupQuota, PrepaidQuota, Quota, QuotaType, Zone } from './resources/quotas.ts';
export type { Region } from './resources/regions.ts';
export type { PlaceState } from './resources/schema.ts';
export type { StateChange } from './resources/state-change.ts';
export type { RowOverrides, Template, TemplateVersion } from './resources/templates.ts';
export type { BehaviourInput } from './scenario/behaviour-input.ts';
export type { PolicyInput, TrustPolicyInput } from './access/policy-input.ts';
export type { VersionData } from './resources/version-data.ts';
export type {
  QuotaInput,
  RegionActionInput,
  ScenarioInput,
  TemplateContentInput,
  VersionContentInput,
  ZoneQuotasInput,
} from './scenario/scenario-input.ts';
export type {
  LiveState,
  NewQuota,
  NewTemplate,
  NewVersion,
  NewZone,
} from './service/live-state.ts';
export type { ListeningServer, ListenOptions } from './http/listen.ts';
export {
  startRecorder,
  startReplay,
  type RecorderOptions,
  type ReplayOptions,
} from './recording/start.ts';
export type { UpstreamCredentials } from './recording/upstream.ts';
export type { ReceivedRequest } from './service/request-log.ts';
export type { EmulatorLog } from './log.ts';

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

export interface ServeOptions extends EmulatorOptions, ListenOptions {}

/** The service in this process, without a network. */
export interface Emulator {
  /** The present accounts, quotas and templates, with methods to change them. */
  readonly state: LiveState;
  readonly faults: Faults;
  /** The received requests, oldest first. The latest 10,000 are kept. */
  readonly requests: BoundedLog<ReceivedRequest>;
  /** Answers one request without delay. The reply contains the latency that it should have. Never throws. */
  readonly handle: (request: EmulatorRequest) => EmulatorReply;
  /**
   * Moves the time forward by this many milliseconds. Due timeline entries are applied, tokens expire, and
   * windows of rate limits and faults begin and end. The time for signatures and for the Date header does not
   * move, because clients use their own clocks for these. A repeating timeline can have more due rounds than
   * the emulator applies at once. Then only the latest rounds are applied.
   *
   * @throws RangeError when it is not a finite number, or is negative
   */
  readonly advance: (ms: number) => void;
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

export interface RunningEmulator extends Emulator, ListeningServer {
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
    log = silentLog,
  } = options;
  return new Service({
    scenario:
      typeof scenario === 'string' ? await readScenario(scenario) : validateScenario(scenario),
    clock,
    random,
    log,
  });
}

function fromService(service: Service): Emulator {
  const control = createControlApi(service);
  return {
    state: service.state,
    faults: service.faults,
    requests: service.requests,
    handle: (received) => {
      const request = inOriginForm(received);
      return isControlRequest(request) ? control(request) : service.handle(request);
    },
    advance: (ms) => {
      service.advance(ms);
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
  const service = await createService(options);
  const emulator = fromService(service);
  const server = await listen(
    {
      handle: emulator.handle,
      refuse: (code) => service.refuse(code),
      clock: service.clientClock,
    },
    { ...options, subdomains: ['internal', ...regionsOf(service.state)] },
    service.connections,
  );
  return Object.assign(emulator, server, { [Symbol.asyncDispose]: server.close });
}

function regionsOf({ accounts }: LiveState): ReadonlySet<string> {
  return new Set(accounts.flatMap((account) => [...account.regions.keys()]));
}
