/** The rate limits of every account. They stay when the configuration or the credentials change. */
import { OperationLimits } from './operation-limits.ts';

export interface RateInForce {
  readonly account: string;
  readonly operation: string;
  readonly requestsPerSecond: number;
}

interface CountedCaller {
  /** The SecretId that last signed its requests; `null` for unsigned requests. */
  secretId: string | null;
  readonly limits: OperationLimits;
}

/**
 * Pause of an account that gets other limits, and of those that share them. Its earlier requests were counted
 * elsewhere, and may not have arrived yet.
 */
const countedElsewherePauseMs = 1_250;

/**
 * The rate limits of all requests. The service counts by caller, so two accounts with the same SecretId share
 * them. An account keeps its limits when its SecretId changes (temporary ones change every hour), and when it
 * is removed and added again.
 */
export class RateLimits {
  readonly #onShared: (account: string, other: string) => void;
  readonly #callers = new Map<string, CountedCaller>();
  /** Pairs of accounts that were reported. Temporary credentials would report the same pair every hour. */
  readonly #reported = new Set<string>();
  /** The accounts that are configured; `null` before they are known. */
  #accounts: ReadonlySet<string> | null = null;
  #requestsPerSecond: number;

  /**
   * @param requestsPerSecond the configured rate of each operation
   * @param onShared called when two configured accounts are found to have the same SecretId
   */
  constructor(
    requestsPerSecond: number,
    onShared: (account: string, other: string) => void = () => undefined,
  ) {
    this.#requestsPerSecond = requestsPerSecond;
    this.#onShared = onShared;
  }

  /** Applies a configuration to the existing limits, and removes limits that are no longer used. */
  configure(accounts: ReadonlySet<string>, requestsPerSecond: number): void {
    this.#accounts = accounts;
    this.#requestsPerSecond = requestsPerSecond;
    for (const [account, { limits }] of this.#callers) {
      limits.configure(requestsPerSecond);
      if (limits.isIdle && !accounts.has(account)) this.#callers.delete(account);
    }
  }

  /** The limits of an account with this SecretId. */
  limitsOf(account: string, secretId: string | null): OperationLimits {
    const caller = this.#callers.get(account);
    if (caller?.secretId === secretId) return caller.limits;
    const twin = secretId === null ? undefined : this.#callerWith(secretId);
    if (twin !== undefined) {
      const [other, { limits }] = twin;
      if (caller !== undefined) limits.pause(countedElsewherePauseMs);
      this.#callers.set(account, { secretId, limits });
      this.#reportOnce(account, other);
      return limits;
    }
    if (caller !== undefined && !this.#isShared(account, caller)) {
      caller.secretId = secretId;
      return caller.limits;
    }
    const limits = caller?.limits.successor() ?? new OperationLimits(this.#requestsPerSecond);
    if (caller !== undefined) limits.pause(countedElsewherePauseMs);
    this.#callers.set(account, { secretId, limits });
    return limits;
  }

  /** The present rates of the configured accounts that have sent requests. */
  rates(): readonly RateInForce[] {
    return [...this.#callers]
      .filter(([account]) => this.#isConfigured(account))
      .flatMap(([account, { limits }]) => limits.rates().map((rate) => ({ account, ...rate })));
  }

  #reportOnce(account: string, other: string): void {
    const pair = [account, other].sort().join(' ');
    if (!this.#isConfigured(other) || this.#reported.has(pair)) return;
    this.#reported.add(pair);
    this.#onShared(account, other);
  }

  #callerWith(secretId: string): [string, CountedCaller] | undefined {
    return [...this.#callers].find(([, caller]) => caller.secretId === secretId);
  }

  #isShared(account: string, { limits }: CountedCaller): boolean {
    return [...this.#callers].some(
      ([other, caller]) =>
        other !== account && caller.limits === limits && this.#isConfigured(other),
    );
  }

  #isConfigured(account: string): boolean {
    return this.#accounts?.has(account) ?? true;
  }
}
