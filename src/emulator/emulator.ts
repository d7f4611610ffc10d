/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The service of docs/service.md, served locally: for rehearsing alerts, for testing clients offline, and for
 * this project's own tests. What it does where the service's behaviour is not published is said in
 * scenario/behaviour.ts and at the head of each operation.ts.
 *
 * Folders import downwards only, and no folder imports this file:
 *   http, control            what arrives over the network
 *   service                  one request in, one reply out
 *   authentication, operations/NAME
 *   operations               what operations share
 *   scenario                 what there is at the start, and what happens then
 *   faults, resources        what goes wrong; what the service knows
 *   protocol                 requests and answers, whatever they are about
 *   input                    validation of what comes from files, from code and over the control API
 *   time                     clocks
 */
import type { Logger } from '../logging/logger.ts';
import type { BoundedLog } from './resources/bounded-log.ts';
import type { Clock } from './time/clock.ts';
import { createControlApi, isControlRequest } from './control/control-api.ts';
import type { Faults } from './faults/faults.ts';
import { makeCertificate } from './http/certificate.ts';
import { serve } from './http/server.ts';
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
export type { OperationName } from './protocol/operation-names.ts';
export type { ParameterValue } from './protocol/parameters.ts';
export type { Delivery, EmulatorReply, EmulatorRequest } from './protocol/message.ts';
export type {
  EmulatorState,
  QuotaPlace,
  RegionPlace,
  TemplatePlace,
} from './resources/emulator-state.ts';
export type {
  AccessKey,
  Account,
  GroupQuota,
  PlaceState,
  PrepaidQuota,
  Quota,
  QuotaType,
  Region,
  RowOverrides,
  StateChange,
  Template,
  TemplateVersion,
  Zone,
} from './resources/model.ts';
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
export type { ReceivedRequest } from './service/request-log.ts';
export type { Logger } from '../logging/logger.ts';

export interface EmulatorOptions {
  /** A scenario file's path, or the same as an object. By default the official samples' figures. */
  readonly scenario?: string | ScenarioInput;
  /** What everything goes by; the timestamps of signatures are compared with it. By default the machine's. */
  readonly clock?: Clock;
  /** Gives numbers from 0 to 1, 1 excluded; decides which faults strike. */
  readonly random?: () => number;
  /** Takes a line for each request (debug), and for each entry of the timeline that fails (warn). */
  readonly log?: Pick<Logger, 'debug' | 'warn'>;
}

const silent: Pick<Logger, 'debug' | 'warn'> = { debug: () => undefined, warn: () => undefined };

export interface ServeOptions extends EmulatorOptions {
  /** By default 127.0.0.1. */
  readonly host?: string;
  /** By default 0: a free one. */
  readonly port?: number;
  /** Listens on a Unix socket in place of host and port. */
  readonly socketPath?: string;
  /**
   * Serves HTTPS: with this certificate and key (PEM), or with one that is made at the start for
   * localhost, the host and `*.tencentcloudapi.com`. By default `false`.
   */
  readonly tls?: boolean | { readonly cert: string; readonly key: string };
}

/** The service in this process, without a network. */
export interface Emulator {
  /** Accounts, quotas and templates as of now, and the methods that change them. */
  readonly state: LiveState;
  readonly faults: Faults;
  /** What was received, oldest first; the latest 10,000 are kept. */
  readonly requests: BoundedLog<ReceivedRequest>;
  /** Answers one request at once; the latency it should have is in the reply. Never throws. */
  readonly handle: (request: EmulatorRequest) => EmulatorReply;
  /**
   * Lets this many milliseconds pass at once: the timeline plays, tokens expire, windows of rate limits
   * and faults begin and end. Timestamps of signatures and the Date of answers do not move, since clients
   * take them from clocks of their own. When more rounds of a repeating timeline pass than can be played
   * at once, only the latest ones are played.
   *
   * @throws RangeError when it is not a finite number, or negative
   */
  readonly advance: (ms: number) => void;
  /** The timeline of the scenario, and with it the time that faults go by. */
  readonly timeline: {
    readonly isPaused: boolean;
    /** Milliseconds of the scenario that have passed; they stand still while it is paused. */
    readonly elapsedMs: number;
    readonly pause: () => void;
    readonly resume: () => void;
    /** Applies the next entry now, and pauses. The answer is `false` after the last entry. */
    readonly step: () => boolean;
  };
  /** Begins the scenario again, without any received request. */
  readonly reset: () => void;
}

export interface RunningEmulator extends Emulator {
  /** Such as `http://127.0.0.1:35431`, without a slash at its end; `unix:PATH` for a Unix socket. */
  readonly url: string;
  /** The authority (PEM) of a certificate that was made at the start; `null` without one. */
  readonly certificateAuthority: string | null;
  readonly close: () => Promise<void>;
  /** The same as {@link close}: `await using emulator = await startEmulator()`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Creates the service for use within this process.
 *
 * @throws InvalidFileError or InvalidInputError with everything that is wrong with the scenario
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  return fromService(await createService(options));
}

async function createService(options: EmulatorOptions): Promise<Service> {
  const {
    scenario = sampleScenario,
    clock = { now: Date.now },
    random = Math.random,
    log = silent,
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
 * Serves the service over HTTP on the loopback interface, or where told, until it is closed.
 *
 * @throws InvalidFileError or InvalidInputError with everything that is wrong with the scenario, or the
 *   system's error when the address cannot be listened on
 */
export async function startEmulator(options: ServeOptions = {}): Promise<RunningEmulator> {
  const { host = '127.0.0.1', port = 0, socketPath, tls = false } = options;
  const service = await createService(options);
  const emulator = fromService(service);
  const made =
    tls === true
      ? makeCertificate(['localhost', '127.0.0.1', '::1', host, '*.tencentcloudapi.com'])
      : null;
  const server = await serve(
    {
      handle: emulator.handle,
      refuse: (code) => service.refuse(code),
      clock: service.clientClock,
    },
    {
      address: socketPath === undefined ? { host, port } : { socketPath },
      certificate: typeof tls === 'object' ? tls : made,
      ...service.connections,
    },
  );
  return Object.assign(emulator, server, {
    certificateAuthority: made?.authority ?? null,
    [Symbol.asyncDispose]: server.close,
  });
}
