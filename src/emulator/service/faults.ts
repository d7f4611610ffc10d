/** The active fault rules, and the replies that they make. */
import { envelope, type ReplyContent } from '../protocol/message.ts';
import { ServiceError } from '../protocol/service-error.ts';
import { faultSchema, type FaultRule, type FaultRuleInput } from '../scenario/fault.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { msOf } from '../scenario/schema-parts.ts';
import { InvalidInputError, validate } from '../scenario/validate.ts';
import { checkFault } from '../state/read-scenario.ts';

/** The request that faults are decided for. Unknown parts are `null`. */
export interface FaultSubject {
  readonly operation: string | null;
  readonly account: string | null;
  readonly region: string | null;
  /** The parameter LaunchTemplateId. */
  readonly templateId: unknown;
}

export interface FaultDecision {
  readonly latencyMs: number;
  /** The rule that decides the answer. `null` when no rule changes the answer. */
  readonly rule: FaultRule | null;
}

/** An active rule, and how often it was applied. */
export type ActiveFault = FaultRule & { readonly id: string; struck: number };

/** The active fault rules. */
export class Faults {
  readonly #random: () => number;
  readonly #scenario: Scenario;
  #rules: ActiveFault[] = [];
  #lastNumber = 0;

  /** @param random returns random numbers from 0 to 1, 1 excluded */
  constructor(random: () => number, scenario: Scenario) {
    this.#random = random;
    this.#scenario = scenario;
    this.reset();
  }

  /**
   * Adds a rule after the others. It replaces a rule with the same ID.
   *
   * @returns its ID
   * @throws InvalidInputError when the rule is invalid, or names what the scenario does not have
   */
  add(input: FaultRuleInput): string {
    return this.addUnknown(input);
  }

  /** The same for input of any type. */
  addUnknown(input: unknown): string {
    const rule = validate(faultSchema, input, 'fault');
    checkFault(rule, { ...this.#scenario, faults: [] }, (path, message) => {
      throw new InvalidInputError('fault', [`${path.join('.')}: ${message}`]);
    });
    return this.#add(rule);
  }

  #add(rule: FaultRule): string {
    this.#lastNumber += 1;
    const id = rule.id ?? `fault-${this.#lastNumber}`;
    this.remove(id);
    this.#rules.push({ ...rule, id, struck: 0 });
    return id;
  }

  list(): readonly Readonly<ActiveFault>[] {
    return structuredClone(this.#rules);
  }

  /** @returns whether the rule existed */
  remove(id: string): boolean {
    const before = this.#rules.length;
    this.#rules = this.#rules.filter((rule) => rule.id !== id);
    return this.#rules.length < before;
  }

  /** @returns how many rules there were */
  clear(): number {
    return this.#rules.splice(0).length;
  }

  /** Only the rules of the scenario, none of them applied yet. */
  reset(): void {
    this.clear();
    for (const rule of this.#scenario.faults) this.#add(rule);
  }

  /** Selects the faults of a request, and counts each rule that is applied. */
  decide(subject: FaultSubject, elapsedMs: number): FaultDecision {
    let latencyMs = 0;
    for (const rule of this.#rules) {
      if (!matches(rule, subject) || !isInForce(rule, elapsedMs)) continue;
      if (rule.probability < 1 && this.#random() >= rule.probability) continue;
      rule.struck += 1;
      latencyMs += this.#latencyOf(rule);
      if (rule.effect !== 'latency') return { latencyMs, rule };
    }
    return { latencyMs, rule: null };
  }

  #latencyOf({ latency }: FaultRule): number {
    if (latency === undefined) return 0;
    if (typeof latency === 'string') return msOf(latency);
    const minMs = msOf(latency.min);
    return minMs + this.#random() * (msOf(latency.max) - minMs);
  }
}

function isInForce({ count, from, struck, until }: ActiveFault, elapsedMs: number): boolean {
  if (count !== undefined && struck >= count) return false;
  return elapsedMs >= msOf(from) && (until === undefined || elapsedMs < msOf(until));
}

function matches(rule: FaultRule, subject: FaultSubject): boolean {
  return (
    (rule.operation === undefined || rule.operation === subject.operation) &&
    (rule.account === undefined || rule.account === subject.account) &&
    (rule.region === undefined || rule.region === subject.region) &&
    (rule.template_id === undefined || rule.template_id === subject.templateId)
  );
}

/** A reply with the fault of the rule. */
export function withFault(
  rule: FaultRule | null,
  content: ReplyContent,
  requestId: string,
): ReplyContent {
  switch (rule?.effect) {
    case 'error': {
      const error = new ServiceError(rule.code, rule.message);
      return { ...envelope(error, requestId), fault: rule };
    }
    case 'http-status': {
      const { status, content_type: contentType, body = htmlPage(status) } = rule;
      return { status, contentType, headers: rule.headers, body, fault: rule };
    }
    default:
      // Later, or a fault of the connection.
      return { ...content, fault: rule };
  }
}

function htmlPage(status: number): string {
  return `<html>\n<head><title>${status}</title></head>\n<body><center><h1>${status}</h1></center></body>\n</html>\n`;
}
