/**
 * The active fault rules, and what they make of a reply. `service.ts` calls `decide` and `faultyReply` for each request;
 * the control API and `emulator.faults` add and remove rules.
 */
import { envelope, replyOf, type EmulatorReply } from '../protocol/message.ts';
import { ServiceError } from '../protocol/service-error.ts';
import { faultSchema, type FaultRule, type FaultRuleInput } from '../scenario/fault.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { msOf } from '../../validation/duration.ts';
import { validate } from '../scenario/validate.ts';
import { faultProblem, refuseProblem } from '../state/read-scenario.ts';

/** The parts of a request by which rules select it. */
const selectors = ['operation', 'account', 'region', 'template_id'] as const;
/** A request as rules select it. `null`, or any JSON that no rule names, for what the request does not say. */
type FaultSubject = Readonly<Record<(typeof selectors)[number], unknown>>;

/** A rule, and to how many requests it was applied. */
export type ActiveFault = FaultRule & { struck: number };

/** The active rules, in the order in which they are tried. */
export class Faults {
  readonly #random: () => number;
  readonly #scenario: Scenario;
  #rules: ActiveFault[] = [];

  /** @param random returns random numbers from 0 to 1, 1 excluded */
  constructor(random: () => number, scenario: Scenario) {
    this.#random = random;
    this.#scenario = scenario;
    this.reset();
  }

  /**
   * Adds a rule after the others.
   *
   * @returns all rules
   * @throws InvalidInputError when the rule is invalid, or names what the scenario does not have
   */
  add(input: FaultRuleInput): readonly Readonly<ActiveFault>[] {
    const rule = validate(faultSchema, input, 'fault');
    refuseProblem('fault', [], faultProblem(rule, this.#scenario.accounts));
    this.#rules.push({ ...rule, struck: 0 });
    return this.list();
  }

  /** A copy of the rules, in their order. */
  list(): readonly Readonly<ActiveFault>[] {
    return structuredClone(this.#rules);
  }

  /** Removes all rules. @returns how many there were */
  clear(): number {
    return this.#rules.splice(0).length;
  }

  /** Restores the rules of the scenario, and sets how often they were applied to 0. */
  reset(): void {
    this.#rules = this.#scenario.faults.map((rule) => ({ ...rule, struck: 0 }));
  }

  /**
   * Applies the rules to one request, in their order, until one decides the answer. Counts each rule that it applies.
   *
   * @param elapsedMs the time since the start of the scenario
   * @returns the rule that decides the answer, `null` for none, and the sum of the latencies
   */
  decide(subject: FaultSubject, elapsedMs: number) {
    let latencyMs = 0;
    for (const rule of this.#rules) {
      if (!matches(rule, subject) || !isInForce(rule, elapsedMs)) continue;
      if (rule.probability < 1 && this.#random() >= rule.probability) continue;
      rule.struck += 1;
      latencyMs += msOf(rule.latency ?? '0s');
      if (rule.effect !== 'latency') return { latencyMs, rule };
    }
    return { latencyMs, rule: null };
  }
}

/** True when the rule has requests left, and its time has begun and not ended. */
function isInForce({ count, from, struck, until }: ActiveFault, elapsedMs: number): boolean {
  if (count !== undefined && struck >= count) return false;
  return elapsedMs >= msOf(from) && (until === undefined || elapsedMs < msOf(until));
}

/** True when the rule is for the request: a selector that the rule lacks selects every request. */
function matches(rule: FaultRule, subject: FaultSubject): boolean {
  return selectors.every((key) => rule[key] === undefined || rule[key] === subject[key]);
}

/**
 * What a rule answers in place of the service. `null` when the answer stays: without a rule, or with a fault of the
 * connection, which `http/deliver.ts` carries out.
 */
export function faultyReply(rule: FaultRule | null, requestId: string): EmulatorReply | null {
  if (rule?.effect === 'error') {
    return envelope(new ServiceError(rule.code, rule.message), requestId);
  }
  if (rule?.effect !== 'http-status') return null;
  const { status, content_type: contentType, body = htmlPage(status) } = rule;
  return replyOf(body, { status, contentType });
}

function htmlPage(status: number): string {
  return `<html>\n<head><title>${status}</title></head>\n<body><center><h1>${status}</h1></center></body>\n</html>\n`;
}
