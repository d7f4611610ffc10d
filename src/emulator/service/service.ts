/** The emulated service without its network: a request in, a reply out. */
import { randomUUID } from 'node:crypto';
import type { Logger } from '../../logging/logger.ts';
import { formatPath } from '../../validation/problem.ts';
import { authenticate, claimedAccount } from '../authentication/authenticate.ts';
import { BoundedLog } from '../resources/bounded-log.ts';
import { SkippingClock, type Clock } from '../time/clock.ts';
import { decode, type DecodedRequest } from '../protocol/decode.ts';
import type { Answer } from '../protocol/envelope.ts';
import { replyContent } from '../faults/apply-fault.ts';
import type { FaultRule } from '../faults/fault-rule.ts';
import { Faults, type FaultSubject } from '../faults/faults.ts';
import type { Delivery, EmulatorReply, EmulatorRequest } from '../protocol/message.ts';
import { isOperationName } from '../protocol/operation-names.ts';
import { LiveState } from './live-state.ts';
import { operations } from './operations.ts';
import { excerpt, receivedParts, type ReceivedRequest } from './request-log.ts';
import { RateLimit } from './rate-limit.ts';
import { applyAction, type Action, type TimelineEntry } from '../scenario/actions.ts';
import type { Scenario } from '../scenario/schema.ts';
import { ServiceError, required, type ErrorCode } from '../protocol/service-error.ts';
import { EmulatorState } from '../resources/emulator-state.ts';
import { StateError, within } from '../resources/state-error.ts';
import { Timeline } from '../scenario/timeline.ts';

const keptRequests = 10_000;
const apiVersion = '2017-03-12';

export interface ServiceOptions {
  readonly scenario: Scenario;
  readonly clock: Clock;
  /** Gives numbers from 0 to 1, 1 excluded; decides faults. */
  readonly random: () => number;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
}

/** The service: everything but the network. Owns the state and lets the scenario's time pass. */
export class Service {
  readonly faults: Faults;
  readonly state: LiveState;
  /** The latest 10,000, oldest first. */
  readonly requests = new BoundedLog<ReceivedRequest>(keptRequests);
  /** Everything goes by it but what a client compares with a clock of its own. */
  readonly #clock: SkippingClock;
  readonly #log: Pick<Logger, 'debug' | 'warn'>;
  readonly #scenario: Scenario;
  readonly #state: EmulatorState;
  readonly #timeline: Timeline;
  readonly #rateLimit = new RateLimit();

  constructor({ scenario, clock, random, log }: ServiceOptions) {
    this.#log = log;
    this.#scenario = scenario;
    this.#clock = new SkippingClock(clock);
    const roundMs = scenario.timeline_repeats_every ?? null;
    this.faults = new Faults({ random, roundMs });
    this.#state = new EmulatorState(this.#clock);
    this.state = new LiveState(this.#state, () => {
      this.#timeline.applyDue(this.#clock.now());
    });
    this.#timeline = new Timeline({
      entries: scenario.timeline,
      repeatsEveryMs: roundMs,
      apply: (entry, atMs) => {
        this.#play(entry, atMs);
      },
    });
    this.reset();
  }

  /**
   * The clock that clients share: skipped time is not in it, so that whoever signs by the time of this
   * machine is still let in.
   */
  get clientClock(): Clock {
    return this.#clock.source;
  }

  /** How long connections live. */
  get connections() {
    const { requests_per_connection: requests = null, idle_connection: idleMs } = this.#scenario;
    return { requestsPerConnection: requests, idleConnectionMs: idleMs };
  }

  /** Milliseconds of the scenario that have passed. */
  get elapsedMs(): number {
    return this.#timeline.elapsedMs(this.#clock.now());
  }

  /** Whether the timeline is paused, and what comes next. */
  get timeline(): Pick<Timeline, 'isPaused' | 'next'> {
    this.#timeline.applyDue(this.#clock.now());
    return this.#timeline;
  }

  /** Begins the scenario again: state, timeline and faults, without any received request. */
  reset(): void {
    this.#clock.reset();
    const nowMs = this.#clock.now();
    this.#state.load(this.#scenario.accounts, nowMs);
    this.#timeline.start(nowMs);
    this.#rateLimit.clear();
    this.requests.clear();
    this.faults.clear();
    for (const rule of this.#scenario.faults) this.faults.addValidated(rule);
  }

  /**
   * Lets `ms` milliseconds pass at once: for the timeline, tokens, rate limits and faults.
   *
   * @throws RangeError when `ms` is not a finite number, or negative
   */
  advance(ms: number): void {
    this.#clock.skip(ms);
  }

  /**
   * Applies all actions, or none when the state does not allow one of them.
   *
   * @throws StateError whose path begins with the index of the action
   */
  applyActions(actions: readonly Action[]): void {
    this.#timeline.applyDue(this.#clock.now());
    applyAll(this.#state.copy(), actions);
    applyAll(this.#state, actions);
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

  /** Answers a request. Never throws: what is wrong with the request is in the envelope. */
  handle(request: EmulatorRequest): EmulatorReply {
    const atMs = this.#clock.now();
    const requestId = randomUUID();
    const decoded = caught(() => decode(request));
    const subject = decoded instanceof ServiceError ? noSubject : this.#subjectOf(decoded);
    const answer = decoded instanceof ServiceError ? refusal(decoded) : this.#answer(decoded, atMs);
    const { rule, latencyMs } = this.faults.decide(subject, this.elapsedMs);
    const content = replyContent(rule, answer, requestId);
    const received: ReceivedRequest = {
      atMs,
      requestId,
      ...receivedParts(request, decoded instanceof ServiceError ? null : decoded),
      ...subject,
      status: isAnswered(content.delivery) ? content.status : null,
      code: toldCode(rule, answer),
      fault: rule?.effect ?? null,
      latencyMs,
    };
    this.requests.add(received);
    this.#log.debug('request', {
      method: received.method,
      host: received.host,
      operation: received.operation,
      account: received.account,
      region: received.region,
      signing: received.signing,
      status: received.status,
      code: received.code,
      fault: received.fault,
      latency_ms: latencyMs,
      request_id: requestId,
    });
    return { ...content, latencyMs };
  }

  /** The answer to what is no request that {@link handle} could be given. */
  refuse(code: ErrorCode): EmulatorReply {
    const answer = refusal(new ServiceError(code));
    return { ...replyContent(null, answer, randomUUID()), latencyMs: 0 };
  }

  #play(entry: TimelineEntry, atMs: number): void {
    try {
      applyAction(this.#state, entry, atMs);
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      // The rehearsal of the scenario passed: the state has since been changed from outside.
      this.#log.warn('an entry of the timeline was passed over', {
        entry: this.#scenario.timeline.indexOf(entry),
        do: entry.do,
        reason: `${formatPath(error.path)}: ${error.message}`,
      });
    }
  }

  #subjectOf(request: DecodedRequest): FaultSubject {
    return {
      operation: request.action === null ? null : excerpt(request.action),
      account: claimedAccount(request, this.#state.accounts)?.name ?? null,
      region: request.region === null ? null : excerpt(request.region),
    };
  }

  #answer(request: DecodedRequest, nowMs: number): Answer {
    const fields = caught(() => this.#process(request, nowMs));
    return fields instanceof ServiceError ? refusal(fields) : { ok: true, fields };
  }

  #process(request: DecodedRequest, nowMs: number): Readonly<Record<string, unknown>> {
    const action = required(request.action, 'Action');
    if (required(request.version, 'Version') !== apiVersion) {
      throw new ServiceError('NoSuchVersion', `The version of the API must be ${apiVersion}.`);
    }
    if (!isOperationName(action)) {
      throw new ServiceError('InvalidAction', `The action \`${excerpt(action)}\` does not exist.`);
    }
    const account = authenticate(request, this.state.accounts, {
      nowMs,
      clientNowMs: this.clientClock.now(),
    });
    this.#rateLimit.admit({
      caller: `${action} ${account.name}`,
      nowMs,
      perSecond: this.#scenario.requests_per_second,
    });
    if (account.deniedOperations.has(action)) throw new ServiceError('UnauthorizedOperation');
    const { behaviour } = this.#scenario;
    const { parameters } = request;
    const operation = operations[action];
    if (!operation.needsRegion) return operation.answer(parameters, { account, behaviour });
    const region = account.regions.get(required(request.region, 'Region'));
    if (region === undefined) throw new ServiceError('UnsupportedRegion');
    return operation.answer(parameters, { account, region, behaviour });
  }
}

function applyAll(state: EmulatorState, actions: readonly Action[]): void {
  for (const [index, action] of actions.entries()) {
    within([index], () => {
      applyAction(state, action);
    });
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

function toldCode(rule: FaultRule | null, answer: Answer): string | null {
  if (rule?.effect === 'error') return rule.code;
  return answer.ok ? null : answer.code;
}

function isAnswered({ kind }: Delivery): boolean {
  return kind !== 'reset' && kind !== 'hang';
}
