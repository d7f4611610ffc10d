/**
 * The emulated service without a network: it turns a request into a reply. `emulator.ts` creates it, and
 * `http/server.ts` or the caller of `createEmulator` passes requests.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isMap } from '../../validation/always.ts';
import { formatPath } from '../../validation/problem.ts';
import { claimedAccount } from '../authentication/authenticate.ts';
import type { PublicContext } from '../operations/operation.ts';
import { decode } from '../protocol/decode.ts';
import {
  envelope,
  type Answer,
  type DecodedRequest,
  type EmulatorReply,
  type EmulatorRequest,
} from '../protocol/message.ts';
import { ServiceError } from '../protocol/service-error.ts';
import { actionSchema } from '../scenario/action.ts';
import type { Scenario, ScenarioInput } from '../scenario/scenario.ts';
import { durationText, msOf } from '../../validation/duration.ts';
import { validate } from '../scenario/validate.ts';
import { applyAction } from '../state/apply-action.ts';
import { BoundedLog } from '../state/bounded-log.ts';
import type { Clock } from '../state/clock.ts';
import { refuseProblem } from '../state/read-scenario.ts';
import { EmulatorState } from '../state/state.ts';
import { startTimeline } from '../state/timeline.ts';
import { dispatch } from './dispatch.ts';
import { Faults, faultyReply } from './faults.ts';
import { answerMetadata, isMetadataRequest } from './metadata.ts';
import { RequestLimiter } from './request-limiter.ts';
import { loggedRequest, type ReceivedRequest } from './request-log.ts';

const maxRequests = 10_000;

/** Writes one line: a fixed message, and fields with names in snake_case. */
type Write = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/** The logger that the emulator writes to, such as `console`. */
export interface EmulatorLog {
  /** Gets a line for each request. When absent, these lines are not even built. */
  readonly debug?: Write;
  /** Gets a line for each entry of the timeline that could not be applied. */
  readonly warn: Write;
}

export interface ServiceOptions {
  /** The clock of the emulator. Timestamps of signatures are compared with it. Defaults to the system clock. */
  readonly clock?: Clock;
  /** Returns random numbers from 0 to 1, 1 excluded. They decide which faults are applied. */
  readonly random?: () => number;
  /** Gets a line for each request (debug), and for each timeline entry that fails (warn). Defaults to no log. */
  readonly log?: EmulatorLog;
}

/** Owns the state, the timeline, the faults, the rate limit and the list of requests. */
export class Service {
  readonly faults: Faults;
  /** The received requests, oldest first. The latest 10,000 are kept. */
  readonly requests = new BoundedLog<ReceivedRequest>(maxRequests);
  /** The scenario as read. {@link scenario} is the scenario of now. */
  readonly settings: Scenario;
  #timeline: ReturnType<typeof startTimeline>;
  readonly #clock: Clock;
  readonly #log: EmulatorLog | undefined;
  #requestLimiter = new RequestLimiter();
  /** How far {@link advance} moved the time forward. */
  #skippedMs = 0;

  constructor(scenario: Scenario, options: ServiceOptions) {
    this.settings = scenario;
    this.#clock = options.clock ?? { now: Date.now };
    this.#log = options.log;
    this.faults = new Faults(options.random ?? Math.random, scenario);
    this.#timeline = this.#startTimeline();
  }

  /** Starts the scenario at the present time of {@link #now}. */
  #startTimeline() {
    return startTimeline(this.settings, this.#now(), (entry, { message, path }) => {
      // The scenario was played once when it was read, so only an action from outside can be the reason.
      this.#log?.warn('an entry of the timeline was skipped', {
        entry: this.settings.timeline.indexOf(entry),
        do: entry.do,
        reason: `${formatPath(path)}: ${message}`,
      });
    });
  }

  /** The time by which the timeline, keys and rate limits go, in milliseconds since the Unix epoch. */
  #now(): number {
    return this.#clock.now() + this.#skippedMs;
  }

  /**
   * The clock of the service as clients see it, in signatures and the Date header: `clock_skew` ahead of the machine.
   * {@link advance} does not move it, so a client that signs with the time of this machine is still accepted.
   */
  readonly clientClock: Clock = {
    now: () => this.#clock.now() + msOf(this.settings.clock_skew),
  };

  /** The accounts as they are now, and their changes: applies due timeline entries first. Only {@link do} changes it. */
  get state(): EmulatorState {
    return this.#timeline.stateAt(this.#now());
  }

  /** The state as it is now, as a scenario for another emulator. It has no timeline and no faults. */
  scenario(): ScenarioInput {
    const { timeline: _entries, timeline_repeats_every: _every, ...others } = this.settings;
    return { ...others, faults: [], accounts: structuredClone([...this.state.accounts]) };
  }

  /** The time since the start of the scenario, in milliseconds. Timeline and faults use it. */
  get elapsedMs(): number {
    return this.#now() - this.#timeline.startMs;
  }

  /** Starts the scenario again: its accounts, faults and time, with an empty list of requests. */
  reset(): void {
    this.#skippedMs = 0;
    this.#timeline = this.#startTimeline();
    this.#requestLimiter = new RequestLimiter();
    this.requests.clear();
    this.faults.reset();
  }

  /**
   * Lets time pass at once, such as `20s`. Due timeline entries are applied, tokens expire, and windows of rate
   * limits and faults begin and end. The time for signatures and for the Date header does not move, because
   * clients use their own clocks for these. A repeating timeline can have more due rounds than the emulator
   * applies at once. Then only the latest rounds are applied.
   *
   * @throws InvalidInputError when it is not a duration
   */
  advance(duration: string): void {
    this.#skippedMs += msOf(validate(durationText(), duration, 'advance'));
  }

  /**
   * Carries out an action, or a list of them: `emulator.do({ do: 'set-used', … })`. When one of a list is not
   * possible, none is carried out.
   *
   * @returns how many actions were carried out
   * @throws InvalidInputError
   */
  do(input: unknown): number {
    const isList = Array.isArray(input);
    const actions = isList
      ? validate(z.array(actionSchema), input, 'actions')
      : [validate(actionSchema, input, 'action')];
    const { state: currentState } = this;
    const nowMs = this.#now();
    // Several actions are tried on a copy first. One action alone is applied whole or not at all.
    const trialStates = actions.length > 1 ? [new EmulatorState(currentState.accounts, nowMs)] : [];
    for (const state of [...trialStates, currentState]) {
      for (const [index, action] of actions.entries()) {
        refuseProblem('action', isList ? [index] : [], applyAction(state, action, nowMs));
      }
    }
    return actions.length;
  }

  /**
   * Answers a request. Never throws: every problem of the request is reported in the envelope.
   * 1. The operation answers: the request counts against the rate limit and takes effect, also when a fault follows.
   * 2. The fault rules replace the reply, delay it, or say how it is to be sent.
   * 3. The request is added to {@link requests} as the client sees it answered.
   */
  answer(request: EmulatorRequest): EmulatorReply {
    const nowMs = this.#now();
    const requestId = randomUUID();
    const { settings, state } = this;
    const context = { settings, state, nowMs, clientNowMs: this.clientClock.now() };
    const { decoded, account, code, reply } = isMetadataRequest(request)
      ? answerMetadata(request, context)
      : this.#answerOperation(request, requestId, context);
    const template_id = decoded === null ? null : templateOf(decoded);
    const logged = loggedRequest(request, decoded, account);
    const { rule, latencyMs } = this.faults.decide({ ...logged, template_id }, this.elapsedMs);
    const sent = faultyReply(rule, requestId) ?? reply;
    const received: ReceivedRequest = {
      at: new Date(nowMs).toISOString(),
      request_id: requestId,
      ...logged,
      status: rule?.effect === 'connection-reset' || rule?.effect === 'hang' ? null : sent.status,
      code: rule?.effect === 'error' ? rule.code : code,
      fault: rule?.effect ?? null,
      latency_ms: latencyMs,
    };
    this.requests.add(received);
    const { at: _at, headers: _headers, parameters: _parameters, ...fields } = received;
    this.#log?.debug?.('request', fields);
    return { ...sent, latencyMs, fault: rule };
  }

  /** Answers a request to an operation. `decoded` and `account` are `null` when the request cannot be read. */
  #answerOperation(request: EmulatorRequest, requestId: string, context: PublicContext) {
    let decoded: DecodedRequest | null = null;
    let answer: Answer;
    try {
      decoded = decode(request);
      answer = dispatch(decoded, this.#requestLimiter, context);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      answer = error;
    }
    return {
      decoded,
      account: decoded && claimedAccount(decoded, context.state),
      code: answer instanceof ServiceError ? answer.code : null,
      reply: envelope(answer, requestId),
    };
  }
}

/** The parameter LaunchTemplateId, or that inside LaunchTemplate, as sent. `null` or `undefined` when it is absent. */
function templateOf({ parameters: { values } }: DecodedRequest): unknown {
  const { LaunchTemplateId, LaunchTemplate } = values;
  return LaunchTemplateId ?? (isMap(LaunchTemplate) ? LaunchTemplate['LaunchTemplateId'] : null);
}
