/** What calls need of credentials: the contract between `call.ts` and the providers in `src/credentials/`. */

/** Keys that sign requests. */
export interface Credentials {
  readonly secretId: string;
  readonly secretKey: string;
  /** The session token of temporary credentials, else `null`. */
  readonly token: string | null;
}

/** Gives the credentials of an account, as they are now. */
export interface CredentialsProvider {
  /**
   * The present credentials. `null`: requests are sent without a signature. SecretId, SecretKey and token always belong
   * together.
   *
   * @throws CodedError `Credentials`; the message says what is missing and never contains a secret
   */
  get(): Promise<Credentials | null>;
  /**
   * Looks for other credentials than those that the service refused, unless `get` returns others already. Never rejects.
   *
   * @returns whether `get` now returns others
   */
  renew(refused: Credentials): Promise<boolean>;
  /** When the current credentials end, on the machine's clock. `null` if that is unknown, or if they never end. */
  expiresAtMs(): number | null;
}
