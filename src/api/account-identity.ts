/** The account of the service that the present credentials belong to. */

/** The SecretIds that sign one or more requests. */
export class Signers {
  #first: string | null = null;
  #areSeveral = false;

  /** @param secretId empty without a signature */
  readonly add = (secretId: string): void => {
    this.#areSeveral ||= this.#first !== null && this.#first !== secretId;
    this.#first = secretId;
  };

  /** The SecretId that signed all of the requests. `null` if they had several, or before the first one. */
  get secretId(): string | null {
    return this.#areSeveral ? null : this.#first;
  }
}

/**
 * Stores the AppId of the answers that were signed with the present SecretId. Other answers do not have it,
 * and a new key may belong to another account.
 */
export class AccountIdentity {
  #known: { readonly secretId: string; readonly appId: number } | null = null;
  /** Resolves with whether the poll that asked was stopped. */
  #asking: Promise<boolean> | null = null;

  /** The AppId of this SecretId. `null` while it is unknown. */
  appIdOf(secretId: string | null): number | null {
    return this.#known !== null && this.#known.secretId === secretId ? this.#known.appId : null;
  }

  learn(secretId: string | null, appId: number | null): void {
    if (secretId !== null && appId !== null) this.#known = { secretId, appId };
  }

  /**
   * Asks once for all waiting callers. If the caller that asked is stopped, the next one asks. Never rejects:
   * after a failure the AppId stays unknown.
   *
   * @param signal stops this caller
   * @param request must report the SecretId of its signature
   */
  async ask(
    secretId: string | null,
    signal: AbortSignal,
    request: (onSigned: (secretId: string) => void) => Promise<number>,
  ): Promise<number | null> {
    let wasStopped: boolean;
    do {
      const signers = new Signers();
      this.#asking ??= request(signers.add)
        .then((appId) => {
          this.learn(signers.secretId, appId);
        })
        .catch(() => undefined)
        .then(() => {
          this.#asking = null;
          return signal.aborted;
        });
      wasStopped = await this.#asking;
    } while (wasStopped && !signal.aborted);
    return this.appIdOf(secretId);
  }
}
