/** The emulated service without a network: it turns a request into a reply. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { formatPath } from '../../validation/problem.ts';
import { claimedAccount } from '../authentication/authenticate.ts';
import { decode } from '../protocol/decode.ts';
import {
  envelope,
  type Answer,
  type DecodedRequest,
  type EmulatorReply,
  type EmulatorRequest,
} from '../protocol/message.ts';
import { ServiceError } from '../protocol/service-error.ts';
import { findRole } from '../scenario/account.ts';
import { actionSchema, type ActionInput, type TimelineEntry } from '../scenario/action.ts';
import type { Scenario, ScenarioInput } from '../scenario/scenario.ts';
import { durationText, msOf } from '../scenario/schema-parts.ts';
import { InvalidInputError, validate } from '../scenario/validate.ts';
import { metadataOperation } from '../scenario/vocabulary.ts';
import { BoundedLog } from '../state/bounded-log.ts';
import type { Clock } from '../state/clock.ts';
import { EmulatorState, StateError } from '../state/state.ts';
import { Timeline } from '../state/timeline.ts';
import { dispatch } from './dispatch.ts';
import { Faults, withFault, type FaultSubject } from './faults.ts';
import { isMetadataRequest, machineRole, metadataAnswer } from './metadata.ts';
import { RequestLimiter } from './request-limiter.ts';
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

/** The service without a network. It owns the state and advances the timeline. */
export class Service {
  readonly faults: Faults;
  /** The received requests, oldest first. The latest 10,000 are kept. */
  readonly requests = new BoundedLog<ReceivedRequest>(keptRequests);
  readonly settings: Scenario;
  readonly #timeline: Timeline;
  readonly #clock: Clock;
  readonly #log: EmulatorLog;
  #requestLimiter = new RequestLimiter();
  #state: EmulatorState;
  #skippedMs = 0;

  constructor({ scenario, clock, random, log }: ServiceOptions) {
    this.settings = scenario;
    this.#clock = clock;
    this.#log = log;
    this.faults = new Faults(random, scenario);
    this.#state = new EmulatorState(scenario.accounts, this.#now());
    const { timeline: entries, timeline_repeats_every: every } = scenario;
    this.#timeline = new Timeline({
      now: () => this.#now(),
      entries,
      repeatsEveryMs: every === undefined ? null : msOf(every),
      apply: (entry, atMs) => {
        this.#play(entry, atMs);
      },
    });
    this.#timeline.start();
  }

  /** The time of the service: that of its clock, and what was skipped. */
  #now(): number {
    return this.#clock.now() + this.#skippedMs;
  }

  /**
   * The clock of the service as clients see it. It does not contain skipped time. So a client that signs with
   * the time of this machine is accepted, unless the scenario says otherwise.
   */
  readonly clientClock: Clock = {
    now: () => this.#clock.now() + msOf(this.settings.clock_skew),
  };

  /** The accounts as they are now, and their changes. Only {@link do} may change them. */
  get state(): EmulatorState {
    this.#timeline.applyDue();
    return this.#state;
  }

  /** The present state as a scenario, which can be started again. It has no timeline and no faults. */
  scenario(): ScenarioInput {
    const {
      timeline: _entries,
      timeline_repeats_every: _every,
      faults: _faults,
      ...settings
    } = this.settings;
    return { ...settings, accounts: this.state.accountsAt(this.#now()) };
  }

  /** The time since the start of the scenario, in milliseconds. Timeline and faults use it. */
  get elapsedMs(): number {
    return this.#timeline.elapsedMs;
  }

  /** Starts the scenario again, with an empty list of requests. */
  reset(): void {
    this.#skippedMs = 0;
    this.#state = new EmulatorState(this.settings.accounts, this.#now());
    this.#timeline.start();
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
   * @throws InvalidInputError
   */
  do(input: ActionInput | readonly ActionInput[]): void {
    this.perform(input);
  }

  /**
   * The same for input of any type.
   *
   * @returns how many actions there were
   */
  perform(input: unknown): number {
    const actions = Array.isArray(input)
      ? validate(z.array(actionSchema), input, 'actions')
      : [validate(actionSchema, input, 'action')];
    const { state: present } = this;
    const nowMs = this.#now();
    // A single action is applied whole or not at all.
    const trial = actions.length > 1 ? [new EmulatorState(present.accounts, nowMs)] : [];
    for (const state of [...trial, present]) {
      for (const [index, action] of actions.entries()) {
        try {
          state.apply(action, nowMs);
        } catch (error) {
          if (!(error instanceof StateError)) throw error;
          const path = formatPath([...(Array.isArray(input) ? [index] : []), ...error.path]);
          throw new InvalidInputError('action', [`${path}: ${error.message}`]);
        }
      }
    }
    return actions.length;
  }

  /** Answers a request. Never throws: every problem of the request is reported in the envelope. */
  answer(request: EmulatorRequest): EmulatorReply {
    const atMs = this.#now();
    const requestId = randomUUID();
    const { decoded, subject, code, content } = isMetadataRequest(request)
      ? this.#metadata(request, atMs)
      : this.#operation(request, requestId, atMs);
    const templateId = decoded?.parameters.values.get('LaunchTemplateId');
    const { rule, latencyMs } = this.faults.decide({ ...subject, templateId }, this.elapsedMs);
    const faulty = withFault(rule, content, requestId);
    const received: ReceivedRequest = {
      at: new Date(atMs).toISOString(),
      request_id: requestId,
      ...loggedRequest(request, decoded),
      ...subject,
      status: rule?.effect === 'connection-reset' || rule?.effect === 'hang' ? null : faulty.status,
      code: rule?.effect === 'error' ? rule.code : code,
      fault: rule?.effect ?? null,
      latency_ms: latencyMs,
    };
    this.requests.add(received);
    const { at: _at, headers: _headers, parameters: _parameters, ...fields } = received;
    this.#log.debug?.('request', fields);
    return { ...faulty, latencyMs };
  }

  /** The answer when the emulator itself fails. */
  failure(): EmulatorReply {
    return { ...envelope(new ServiceError('InternalError'), randomUUID()), latencyMs: 0 };
  }

  #operation(request: EmulatorRequest, requestId: string, nowMs: number) {
    let decoded: DecodedRequest | null = null;
    let answer: Answer;
    try {
      decoded = decode(request);
      answer = dispatch(decoded, this.settings, this.#requestLimiter, {
        state: this.state,
        nowMs,
        clientNowMs: this.clientClock.now(),
      });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      answer = error;
    }
    return {
      decoded,
      subject: decoded === null ? noSubject : this.#subjectOf(decoded),
      code: answer instanceof ServiceError ? answer.code : null,
      content: envelope(answer, requestId),
    };
  }

  /** A request to the metadata service. Its answers have no envelope. */
  #metadata(request: EmulatorRequest, nowMs: number) {
    const { machine } = this.settings;
    const { state } = this;
    const bound = machineRole(machine, state);
    const clientNowMs = this.clientClock.now();
    const sessionMs = msOf(machine?.session ?? '0s');
    return {
      decoded: null,
      subject: { ...noSubject, operation: metadataOperation, account: bound?.account.name ?? null },
      code: null,
      content: metadataAnswer(request, { state, bound, sessionMs, nowMs, clientNowMs }),
    };
  }

  #play(entry: TimelineEntry, atMs: number): void {
    try {
      this.#state.apply(entry, atMs);
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      // The scenario was played once when it was read, so a change from outside causes this error.
      this.#log.warn('an entry of the timeline was skipped', {
        entry: this.settings.timeline.indexOf(entry),
        do: entry.do,
        reason: `${formatPath(error.path)}: ${error.message}`,
      });
    }
  }

  #subjectOf(request: DecodedRequest): RequestSubject {
    const { state } = this;
    const action = request.commonParameter('Action');
    const region = request.commonParameter('Region');
    // A request without a key belongs to the account of the role.
    const account =
      action === 'AssumeRoleWithWebIdentity'
        ? findRole(request.parameters.values.get('RoleArn'), state.accounts)?.account
        : claimedAccount(request, state);
    return {
      operation: action && excerpt(action),
      account: account?.name ?? null,
      region: region && excerpt(region),
    };
  }
}

type RequestSubject = Omit<FaultSubject, 'templateId'>;
const noSubject: RequestSubject = { operation: null, account: null, region: null };
