/** The emulated service without a network: it turns a request into a reply. */
import { randomUUID } from 'node:crypto';
import type { EmulatorLog } from '../log.ts';
import { formatPath } from '../../validation/problem.ts';
import { answerRequest } from './answer-request.ts';
import { claimedAccount } from '../authentication/authenticate.ts';
import { SigningKeys } from '../authentication/tc3.ts';
import { BoundedLog } from '../resources/bounded-log.ts';
import { SkippingClock, type Clock } from '../time/clock.ts';
import { decode, type DecodedRequest } from '../protocol/decode.ts';
import type { Answer } from '../protocol/envelope.ts';
import { replyContent } from '../faults/apply-fault.ts';
import type { FaultRule } from '../faults/fault-rule.ts';
import { Faults, type FaultSubject } from '../faults/faults.ts';
import type { Delivery, EmulatorReply, EmulatorRequest } from '../protocol/message.ts';
import { metadataOperation, serviceOperation } from '../protocol/operation-names.ts';
import { LiveState } from './live-state.ts';
import { isMetadataRequest, machineRole, metadataAnswer, withFault } from './metadata.ts';
import { excerpt, RequestReader, type ReceivedRequest } from './request-log.ts';
import { RateLimit } from './rate-limit.ts';
import { applyAction, type Action, type TimelineEntry } from '../scenario/actions.ts';
import type { Scenario } from '../scenario/schema.ts';
import { ServiceError, type ErrorCode } from '../protocol/service-error.ts';
import { EmulatorState } from '../resources/emulator-state.ts';
import { roleOf } from '../resources/roles.ts';
import { StateError, within } from '../resources/state-error.ts';
import { Timeline } from '../scenario/timeline.ts';

const keptRequests = 10_000;

export interface ServiceOptions {
  readonly scenario: Scenario;
  readonly clock: Clock;
  /** Returns random numbers from 0 to 1, 1 excluded. They decide which faults are applied. */
  readonly random: () => number;
  readonly log: EmulatorLog;
}

/** The service without a network. It owns the state and advances the timeline. */
export class Service {
  readonly faults: Faults;
  readonly state: LiveState;
  /** The latest 10,000, oldest first. */
  readonly requests = new BoundedLog<ReceivedRequest>(keptRequests);
  /** The clock of the service. Values that clients compare with their own clocks use another one. */
  readonly #clock: SkippingClock;
  readonly #log: EmulatorLog;
  readonly #scenario: Scenario;
  readonly #state: EmulatorState;
  readonly #timeline: Timeline;
  readonly #requestReader = new RequestReader();
  readonly #rateLimit = new RateLimit();
  readonly #signingKeys = new SigningKeys();

  constructor({ scenario, clock, random, log }: ServiceOptions) {
    this.#log = log;
    this.#scenario = scenario;
    this.#clock = new SkippingClock(clock);
    const roundMs = scenario.timelineRepeatsEveryMs ?? null;
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
   * The clock that clients have too. It does not contain skipped time. A client that signs with the time of
   * this machine is therefore accepted.
   */
  get clientClock(): Clock {
    return this.#clock.source;
  }

  /** How long connections stay open. */
  get connections() {
    const { requestsPerConnection = null, idleConnectionMs } = this.#scenario;
    return { requestsPerConnection, idleConnectionMs };
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
    const nowMs = this.#clock.now();
    this.#state.load(this.#scenario.accounts, nowMs);
    this.#timeline.start(nowMs);
    this.#rateLimit.clear();
    this.requests.clear();
    this.faults.clear();
    for (const rule of this.#scenario.faults) this.faults.addValidated(rule);
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

  /** Answers a request. Never throws: every problem of the request is reported in the envelope. */
  handle(request: EmulatorRequest): EmulatorReply {
    if (isMetadataRequest(request)) return this.#handleMetadata(request);
    const atMs = this.#clock.now();
    const requestId = randomUUID();
    const decoded = caught(() => decode(request));
    const subject = decoded instanceof ServiceError ? noSubject : this.#subjectOf(decoded);
    const answer = decoded instanceof ServiceError ? refusal(decoded) : this.#answer(decoded, atMs);
    const { rule, latencyMs } = this.faults.decide(subject, this.elapsedMs);
    const content = replyContent(rule, answer, requestId);
    const handling = {
      atMs,
      requestId,
      subject,
      status: isAnswered(content.delivery) ? content.status : null,
      code: toldCode(rule, answer),
      fault: rule?.effect ?? null,
      latencyMs,
    };
    const readable = decoded instanceof ServiceError ? null : decoded;
    this.#received(this.#requestReader.entry(request, readable, handling));
    return Object.assign(content, { latencyMs });
  }

  /** The same for the metadata service. Its answers have no envelope. */
  #handleMetadata(request: EmulatorRequest): EmulatorReply {
    const { machine } = this.#scenario;
    const nowMs = this.#clock.now();
    const bound = machineRole(machine, this.state.accounts);
    const subject = {
      operation: metadataOperation,
      account: bound?.account.name ?? null,
      region: null,
    };
    const { rule, latencyMs } = this.faults.decide(subject, this.elapsedMs);
    const clientNowMs = this.clientClock.now();
    const times = { sessionMs: machine?.sessionMs ?? 0, nowMs, clientNowMs };
    const content = withFault(rule, metadataAnswer(request, bound, times));
    const handling = {
      atMs: nowMs,
      requestId: randomUUID(),
      subject,
      status: isAnswered(content.delivery) ? content.status : null,
      code: null,
      fault: rule?.effect ?? null,
      latencyMs,
    };
    this.#received(this.#requestReader.entry(request, null, handling));
    return { ...content, latencyMs };
  }

  #received(received: ReceivedRequest): void {
    this.requests.add(received);
    this.#log.debug?.('request', {
      method: received.method,
      host: received.host,
      operation: received.operation,
      account: received.account,
      region: received.region,
      signing: received.signing,
      status: received.status,
      code: received.code,
      fault: received.fault,
      latency_ms: received.latencyMs,
      request_id: received.requestId,
    });
  }

  /** The answer to input that is not a request for {@link handle}. */
  refuse(code: ErrorCode): EmulatorReply {
    const answer = refusal(new ServiceError(code));
    return { ...replyContent(null, answer, randomUUID()), latencyMs: 0 };
  }

  #play(entry: TimelineEntry, atMs: number): void {
    try {
      applyAction(this.#state, entry, atMs);
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      // The dry run of the scenario succeeded, so a change from outside causes this error.
      this.#log.warn('an entry of the timeline was skipped', {
        entry: this.#scenario.timeline.indexOf(entry),
        do: entry.do,
        reason: `${formatPath(error.path)}: ${error.message}`,
      });
    }
  }

  #subjectOf(request: DecodedRequest): FaultSubject {
    const { accounts } = this.#state;
    // A request without a key belongs to the account of the role.
    const account =
      request.action === 'AssumeRoleWithWebIdentity'
        ? roleOf(request.parameters.values.get('RoleArn'), accounts)?.account
        : claimedAccount(request, accounts);
    return {
      operation:
        request.action === null
          ? null
          : (serviceOperation(request.action) ?? excerpt(request.action)),
      account: account?.name ?? null,
      region:
        request.region === null
          ? null
          : (account?.regions.get(request.region)?.name ?? excerpt(request.region)),
    };
  }

  #answer(request: DecodedRequest, nowMs: number): Answer {
    const fields = caught(() =>
      answerRequest(request, {
        accounts: this.state.accounts,
        nowMs,
        clientNowMs: this.clientClock.now(),
        signingKeys: this.#signingKeys,
        rateLimit: this.#rateLimit,
        requestsPerSecond: this.#scenario.requestsPerSecond,
        behaviour: this.#scenario.behaviour,
      }),
    );
    return fields instanceof ServiceError ? refusal(fields) : { ok: true, fields };
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
