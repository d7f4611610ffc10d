/** The rate limits of every account: they outlive configurations and credentials. */
import type { Operation } from '../model/target.ts';
import { RateLimit } from './rate-limit.ts';

/** How many requests per second are allowed, by operation. */
export type RateOf = (operation: Operation) => number;

export interface RateInForce {
  readonly account: string;
  readonly operation: Operation;
  readonly requestsPerSecond: number;
}

/** What the requests that are signed with one SecretId share. */
export type Limits = Map<Operation, RateLimit>;

interface Caller {
  /** What its requests were last signed with; `null` for unsigned requests. */
  secretId: string | null;
  limits: Limits;
}

/** A limit that begins while requests of the same caller may still be on their way. */
const restMs = 1_250;

/**
 * Finds the rate limit of a request. The service counts by caller, so two accounts that have the same
 * SecretId share one. An account keeps its limit when its SecretId changes (temporary ones change every
 * hour) and when it is removed and added again.
 */
export class RateLimits {
  readonly #onShared: (account: string, other: string) => void;
  readonly #callers = new Map<string, Caller>();
  /** The accounts that are configured; `null` before they are known. */
  #accounts: ReadonlySet<string> | null = null;

  /** @param onShared called when two configured accounts are found to have the same SecretId */
  constructor(onShared: (account: string, other: string) => void = () => undefined) {
    this.#onShared = onShared;
  }

  /** Applies a configuration to the limits that exist, and forgets those that are out of use. */
  configure(accounts: ReadonlySet<string>, rateOf: RateOf): void {
    this.#accounts = accounts;
    for (const [account, { limits }] of this.#callers) {
      for (const [operation, limit] of limits) limit.configure(rateOf(operation));
      const isIdle = [...limits.values()].every((limit) => limit.isIdle);
      if (isIdle && !accounts.has(account)) this.#callers.delete(account);
    }
  }

  /** All limits of an account that signs with this SecretId, that of the operation among them. */
  limitsOf(account: string, secretId: string | null): Limits {
    const caller = this.#callers.get(account);
    if (caller?.secretId === secretId) return caller.limits;
    const twin = secretId === null ? undefined : this.#callerWith(secretId);
    if (twin !== undefined) {
      const [other, { limits }] = twin;
      this.#callers.set(account, { secretId, limits });
      if (this.#isConfigured(other)) this.#onShared(account, other);
      return limits;
    }
    if (caller === undefined || this.#isShared(account, caller.limits)) {
      const limits: Limits = caller === undefined ? new Map() : rested(caller.limits);
      this.#callers.set(account, { secretId, limits });
      return limits;
    }
    caller.secretId = secretId;
    return caller.limits;
  }

  /** The rates in force of the configured accounts, as far as they have sent requests. */
  rates(): readonly RateInForce[] {
    return [...this.#callers]
      .filter(([account]) => this.#isConfigured(account))
      .flatMap(([account, { limits }]) =>
        [...limits].map(([operation, { requestsPerSecond }]) => ({
          account,
          operation,
          requestsPerSecond,
        })),
      );
  }

  #callerWith(secretId: string): [string, Caller] | undefined {
    return [...this.#callers].find(([, caller]) => caller.secretId === secretId);
  }

  #isShared(account: string, limits: Limits): boolean {
    return [...this.#callers].some(
      ([other, caller]) =>
        other !== account && caller.limits === limits && this.#isConfigured(other),
    );
  }

  #isConfigured(account: string): boolean {
    return this.#accounts?.has(account) ?? true;
  }
}

/** The limit of one operation; one that is not there yet is made. */
export function limitOf(
  limits: Limits,
  operation: Operation,
  requestsPerSecond: number,
): RateLimit {
  const limit = limits.get(operation) ?? new RateLimit(requestsPerSecond);
  limits.set(operation, limit);
  limit.configure(requestsPerSecond);
  return limit;
}

/** Limits of their own for a caller that shared those. */
function rested(shared: Limits): Limits {
  const limits: Limits = new Map();
  for (const [operation, { configured }] of shared) {
    const limit = new RateLimit(configured);
    limit.pause(restMs);
    limits.set(operation, limit);
  }
  return limits;
}
