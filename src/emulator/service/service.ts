/** The emulated service without a network: it turns a request into a reply. */
import { randomUUID } from 'node:crypto';
import { formatPath } from '../../validation/problem.ts';
import { authenticate, claimedAccount } from '../authentication/authenticate.ts';
import { operations } from '../operations/table.ts';
import { decode, type DecodedRequest } from '../protocol/decode.ts';
import type { Answer, EmulatorReply, EmulatorRequest } from '../protocol/message.ts';
import { ServiceError, required, type ErrorCode } from '../protocol/service-error.ts';
import { allows } from '../scenario/account.ts';
import type { Action, TimelineEntry } from '../scenario/action.ts';
import type { FaultRule } from '../scenario/fault.ts';
import type { Scenario, ScenarioInput } from '../scenario/scenario.ts';
import { metadataOperation, msOf, operationNames } from '../scenario/words.ts';
import { BoundedLog } from '../state/bounded-log.ts';
import { SkippingClock, type Clock } from '../state/clock.ts';
import { EmulatorState, roleOf, StateError } from '../state/state.ts';
import { Timeline } from '../state/timeline.ts';
import { Faults, replyContent, withFault, type FaultSubject, type ReplyContent } from './faults.ts';
import { isMetadataRequest, machineRole, metadataAnswer } from './metadata.ts';
import { RateLimit } from './rate-limit.ts';
import { excerpt, loggedRequest, type ReceivedRequest } from './request-log.ts';

const keptRequests = 10_000;

/** Writes one line: a fixed message, and fields with names in snake_case. */
type Write = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/** Where the emulator writes its log, such as `console`. */
export interface EmulatorLog {
  /** Without it, these lines are not described: each request has one. */
  readonly debug?: Write;
  readonly warn: Write;
}

export interface ServiceOptions {
  readonly scenario: Scenario;
  readonly clock: Clock;
  /** Returns random numbers from 0 to 1, 1 excluded. They decide which faults are applied. */
  readonly random: () => number;
  readonly log: EmulatorLog;
}

/** What the service did with a request. */
interface Handling {
  readonly atMs: number;
  readonly requestId: string;
  readonly subject: FaultSubject;
  readonly content: ReplyContent;
  readonly code: string | null;
  readonly rule: FaultRule | null;
  readonly latencyMs: number;
}

/** The service without a network. It owns the state and advances the timeline. */
export class Service {
  readonly faults: Faults;
  /** The latest 10,000, oldest first. */
  readonly requests = new BoundedLog<ReceivedRequest>(keptRequests);
  readonly #clock: SkippingClock;
  readonly #log: EmulatorLog;
  readonly #scenario: Scenario;
  readonly #timeline: Timeline;
  readonly #rateLimit = new RateLimit();
  #state: EmulatorState;

  constructor({ scenario, clock, random, log }: ServiceOptions) {
    this.#log = log;
    this.#scenario = scenario;
    this.#clock = new SkippingClock(clock);
    this.faults = new Faults(random, scenario);
    this.#state = new EmulatorState(scenario.accounts, this.#clock.now());
    const { timeline: entries, timeline_repeats_every: every } = scenario;
    this.#timeline = new Timeline({
      entries,
      repeatsEveryMs: every === undefined ? null : msOf(every),
      apply: (entry, atMs) => {
        this.#play(entry, atMs);
      },
    });
    this.#timeline.start(this.#clock.now());
  }

  /**
   * The clock of the service as clients see it. It does not contain skipped time. So a client that signs with
   * the time of this machine is accepted, unless the scenario says otherwise.
   */
  readonly clientClock: Clock = {
    now: () => this.#clock.source.now() + msOf(this.#scenario.clock_skew),
  };

  get scenario(): Scenario {
    return this.#scenario;
  }

  /** The present state. */
  get state(): EmulatorState {
    this.#timeline.applyDue(this.#clock.now());
    return this.#state;
  }

  /** The present state as a scenario, without timeline and faults. */
  get stateScenario(): ScenarioInput {
    const {
      timeline: _entries,
      timeline_repeats_every: _every,
      faults: _faults,
      ...settings
    } = this.#scenario;
    return { ...settings, accounts: this.state.content(this.#clock.now()) };
  }

  /** The elapsed time of the scenario, in milliseconds. */
  get elapsedMs(): number {
    return this.#timeline.elapsedMs(this.#clock.now());
  }

  /** Whether the timeline is paused, and its next entry. */
  get timeline(): Pick<Timeline, 'isPaused' | 'next'> {
    this.#timeline.applyDue(this.#clock.now());
    return this.#timeline;
  }

  /** Starts the scenario again: state, timeline and faults, with an empty list of requests. */
  reset(): void {
    this.#clock.reset();
    this.#state = new EmulatorState(this.#scenario.accounts, this.#clock.now());
    this.#timeline.start(this.#clock.now());
    this.#rateLimit.clear();
    this.requests.clear();
    this.faults.reset();
  }

  /**
   * Moves the time forward by `ms` milliseconds, for the timeline, tokens, rate limits and faults.
   *
   * @throws RangeError when `ms` is not a finite number, or is negative
   */
  advance(ms: number): void {
    this.#clock.skip(ms);
  }

  /**
   * Applies all actions. When the state does not allow one of them, none is applied.
   *
   * @throws StateError, with a path that begins with the index of the action
   */
  apply(actions: readonly Action[]): void {
    const { state: present } = this;
    const nowMs = this.#clock.now();
    // A single action is applied whole or not at all.
    const trial = actions.length > 1 ? [new EmulatorState(present.accounts, nowMs)] : [];
    for (const state of [...trial, present]) {
      for (const [index, action] of actions.entries()) {
        try {
          state.apply(action, nowMs);
        } catch (error) {
          if (!(error instanceof StateError)) throw error;
          throw new StateError([index, ...error.path], error.message);
        }
      }
    }
  }

  pauseTimeline(): void {
    this.#timeline.pause(this.#clock.now());
  }

  resumeTimeline(): void {
    this.#timeline.resume(this.#clock.now());
  }

  /** Applies the next entry of the timeline, and pauses it. */
  stepTimeline(): TimelineEntry | null {
    return this.#timeline.step(this.#clock.now());
  }

  /** Answers a request. Never throws: every problem of the request is reported in the envelope. */
  handle(request: EmulatorRequest): EmulatorReply {
    if (isMetadataRequest(request)) return this.#handleMetadata(request);
    const atMs = this.#clock.now();
    const requestId = randomUUID();
    const decoded = caught(() => decode(request));
    const isReadable = !(decoded instanceof ServiceError);
    const subject = isReadable ? this.#subjectOf(decoded) : noSubject;
    const answer = isReadable ? this.#answer(decoded, atMs) : refusal(decoded);
    const { rule, latencyMs } = this.faults.decide(subject, this.elapsedMs);
    const content = replyContent(rule, answer, requestId);
    const code = rule?.effect === 'error' ? rule.code : answer.ok ? null : answer.code;
    const handling = { atMs, requestId, subject, content, code, rule, latencyMs };
    this.#received(request, isReadable ? decoded : null, handling);
    return { ...content, latencyMs };
  }

  /** The same for the metadata service. Its answers have no envelope. */
  #handleMetadata(request: EmulatorRequest): EmulatorReply {
    const { machine } = this.#scenario;
    const atMs = this.#clock.now();
    const { state } = this;
    const bound = machineRole(machine, state);
    const subject = {
      operation: metadataOperation,
      account: bound?.account.name ?? null,
      region: null,
    };
    const { rule, latencyMs } = this.faults.decide(subject, this.elapsedMs);
    const clientNowMs = this.clientClock.now();
    const sessionMs = msOf(machine?.session ?? '0s');
    const answer = metadataAnswer(request, { state, bound, sessionMs, nowMs: atMs, clientNowMs });
    const requestId = randomUUID();
    const content = withFault(rule, answer, requestId);
    const handling = { atMs, requestId, subject, content, code: null, rule, latencyMs };
    this.#received(request, null, handling);
    return { ...content, latencyMs };
  }

  #received(
    request: EmulatorRequest,
    decoded: DecodedRequest | null,
    { atMs, requestId, subject, content, code, rule, latencyMs }: Handling,
  ): void {
    const { kind } = content.delivery;
    const received: ReceivedRequest = {
      at: new Date(atMs).toISOString(),
      request_id: requestId,
      ...loggedRequest(request, decoded),
      ...subject,
      status: kind === 'reset' || kind === 'hang' ? null : content.status,
      code,
      fault: rule?.effect ?? null,
      latency_ms: latencyMs,
    };
    this.requests.add(received);
    const { at: _at, headers: _headers, parameters: _parameters, ...fields } = received;
    this.#log.debug?.('request', fields);
  }

  /** The answer to input that is not a request for {@link handle}. */
  refuse(code: ErrorCode): EmulatorReply {
    const answer = refusal(new ServiceError(code));
    return { ...replyContent(null, answer, randomUUID()), latencyMs: 0 };
  }

  #play(entry: TimelineEntry, atMs: number): void {
    try {
      this.#state.apply(entry, atMs);
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      // The scenario was played once when it was read, so a change from outside causes this error.
      this.#log.warn('an entry of the timeline was skipped', {
        entry: this.#scenario.timeline.indexOf(entry),
        do: entry.do,
        reason: `${formatPath(error.path)}: ${error.message}`,
      });
    }
  }

  #subjectOf(request: DecodedRequest): FaultSubject {
    const { state } = this;
    const { action, region } = request;
    // A request without a key belongs to the account of the role.
    const account =
      action === 'AssumeRoleWithWebIdentity'
        ? roleOf(request.parameters.values.get('RoleArn'), state.accounts)?.account
        : claimedAccount(request, state);
    return {
      operation: action && excerpt(action),
      account: account?.name ?? null,
      region: region && excerpt(region),
    };
  }

  #answer(request: DecodedRequest, nowMs: number): Answer {
    const fields = caught(() => this.#fieldsOf(request, nowMs));
    return fields instanceof ServiceError ? refusal(fields) : { ok: true, fields };
  }

  /** Finds the operation of a request, authenticates it, counts it, and lets the operation answer. */
  #fieldsOf(request: DecodedRequest, nowMs: number): Readonly<Record<string, unknown>> {
    const { behaviour, site, requests_per_second: limits } = this.#scenario;
    const { parameters } = request;
    const action = required(request.action, 'Action');
    const version = required(request.version, 'Version');
    const name = operationNames.find((known) => known === action);
    const row = name === undefined ? undefined : operations[name];
    if (
      name === undefined ||
      row === undefined ||
      (request.service ?? row.service) !== row.service
    ) {
      const message = `The action \`${excerpt(action)}\` does not exist.`;
      throw new ServiceError('InvalidAction', message);
    }
    if (version !== row.version) {
      const message = `The version of the API must be ${row.version}.`;
      throw new ServiceError('NoSuchVersion', message);
    }
    const clientNowMs = this.clientClock.now();
    const context = { state: this.state, nowMs, clientNowMs, behaviour, site };
    if (row.needs === 'nothing') return row.answer(parameters, context);
    const { account, key } = authenticate(request, row.service, context);
    const limit = typeof limits === 'number' ? limits : (limits[name] ?? row.perSecond);
    const caller = context.state.sessions.get(key?.secret_id ?? '')?.role.name ?? key?.secret_id;
    const counted = [name, request.gateway, account.name, caller ?? ''].join(' ');
    this.#rateLimit.admit(counted, limit, nowMs);
    const policy = row.service === 'sts' ? undefined : key?.policy;
    const isDenied = policy !== undefined && !allows(policy, `name/${row.service}:${name}`, ['*']);
    if (isDenied || account.denied_operations.includes(name)) {
      throw new ServiceError('UnauthorizedOperation');
    }
    if (row.needs === 'caller') return row.answer(parameters, { ...context, account, key });
    const wanted = required(request.region, 'Region');
    const region = account.regions.find((each) => each.name === wanted);
    if (region === undefined) throw new ServiceError('UnsupportedRegion');
    return row.answer(parameters, { ...context, account, key, region });
  }
}

const noSubject: FaultSubject = { operation: null, account: null, region: null };

function caught<T>(work: () => T): T | ServiceError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

function refusal({ code, message }: ServiceError): Answer {
  return { ok: false, code, message };
}
