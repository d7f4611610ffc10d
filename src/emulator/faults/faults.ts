import { inScenarioWords } from '../input/words.ts';
import { InvalidInputError, validate } from '../input/validate.ts';
import { faultRuleSchema, type FaultRule, type FaultRuleInput } from './fault-rule.ts';

/** The request that faults are decided for. Unknown parts are `null`. */
export interface FaultSubject {
  readonly operation: string | null;
  readonly account: string | null;
  readonly region: string | null;
}

export interface FaultDecision {
  readonly latencyMs: number;
  /** The rule that decides the answer. `null` when no rule changes the answer. */
  readonly rule: FaultRule | null;
}

/** An active rule, and how often it was applied. */
export type ActiveFault = FaultRule & { readonly id: string; readonly struck: number };

interface Entry {
  readonly id: string;
  readonly rule: FaultRule;
  struck: number;
}

export interface FaultsOptions {
  /** Returns random numbers from 0 to 1, 1 excluded. */
  readonly random: () => number;
  /** The length of a round of the timeline. `null` when the timeline does not repeat. */
  readonly roundMs: number | null;
}

/** The active fault rules. */
export class Faults {
  readonly #random: () => number;
  #entries: Entry[] = [];
  #lastNumber = 0;

  readonly #roundMs: number | null;

  constructor({ random, roundMs }: FaultsOptions) {
    this.#random = random;
    this.#roundMs = roundMs;
  }

  /**
   * Adds a rule after the others.
   *
   * @returns its ID
   * @throws InvalidInputError when the rule is invalid
   */
  add(input: FaultRuleInput): string {
    return this.addValidated(validate(faultRuleSchema, inScenarioWords(input), 'fault'));
  }

  /**
   * Adds a validated rule. It replaces a rule with the same ID.
   *
   * @throws InvalidInputError when the rule repeats and the timeline does not
   */
  addValidated(rule: FaultRule): string {
    if (rule.repeats && this.#roundMs === null) {
      throw new InvalidInputError('fault', [
        'repeats: the timeline of the scenario does not repeat',
      ]);
    }
    const id = rule.id ?? this.#freeId();
    this.remove(id);
    this.#entries.push({ id, rule, struck: 0 });
    return id;
  }

  /** An unused ID. A user may already have used `fault-1`. */
  #freeId(): string {
    for (;;) {
      this.#lastNumber += 1;
      const id = `fault-${this.#lastNumber}`;
      if (this.#entries.every((entry) => entry.id !== id)) return id;
    }
  }

  list(): ActiveFault[] {
    return this.#entries.map(({ id, rule, struck }) => ({ ...rule, id, struck }));
  }

  /** @returns whether the rule existed */
  remove(id: string): boolean {
    const before = this.#entries.length;
    this.#entries = this.#entries.filter((entry) => entry.id !== id);
    return this.#entries.length < before;
  }

  clear(): void {
    this.#entries = [];
  }

  /** Selects the faults of a request, and counts each rule that is applied. */
  decide(subject: FaultSubject, elapsedMs: number): FaultDecision {
    let latencyMs = 0;
    for (const entry of this.#entries) {
      const { rule } = entry;
      if (!matches(rule, subject) || !this.#isInForce(entry, elapsedMs)) continue;
      if (rule.probability < 1 && this.#random() >= rule.probability) continue;
      entry.struck += 1;
      if (rule.latencyMs !== undefined) {
        latencyMs +=
          rule.latencyMs.min + this.#random() * (rule.latencyMs.max - rule.latencyMs.min);
      }
      if (rule.effect !== 'latency') return { latencyMs, rule };
    }
    return { latencyMs, rule: null };
  }

  #isInForce({ rule, struck }: Entry, elapsedMs: number): boolean {
    if (rule.count !== undefined && struck >= rule.count) return false;
    const atMs = rule.repeats && this.#roundMs !== null ? elapsedMs % this.#roundMs : elapsedMs;
    return atMs >= rule.fromMs && (rule.untilMs === undefined || atMs < rule.untilMs);
  }
}

function matches(rule: FaultRule, subject: FaultSubject): boolean {
  return (
    (rule.operation === undefined || rule.operation === subject.operation) &&
    (rule.account === undefined || rule.account === subject.account) &&
    (rule.region === undefined || rule.region === subject.region)
  );
}
