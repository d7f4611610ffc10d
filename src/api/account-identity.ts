/** The account of the service that the present credentials belong to. */
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

  /**
   * Runs one or more requests, and returns the SecretId that signed all of them. `null` if they had several.
   *
   * @param work must report the SecretId of each signature; empty without a signature
   */
  async during<T>(
    work: (onSigned: (secretId: string) => void) => Promise<T>,
  ): Promise<{ result: T; secretId: string | null }> {
    const used: string[] = [];
    const result = await work((secretId) => used.push(secretId));
    const [first = null] = used;
    return { result, secretId: used.every((each) => each === first) ? first : null };
  }

  learn(secretId: string | null, appId: number | null): void {
    if (secretId !== null && appId !== null) this.#known = { secretId, appId };
  }

  /**
   * Asks once for all waiting callers. If the caller that asked is stopped, the next one asks. Never rejects:
   * after a failure the AppId stays unknown.
   *
   * @param signal stops this caller
   */
  async ask(
    secretId: string | null,
    signal: AbortSignal,
    request: (onSigned: (secretId: string) => void) => Promise<number>,
  ): Promise<number | null> {
    let wasStopped = false;
    do {
      this.#asking ??= this.during(request)
        .then(({ result, secretId: signedWith }) => {
          this.learn(signedWith, result);
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
