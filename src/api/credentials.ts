/** The credentials that sign a request, as calls need them. `src/credentials/` has the providers. */

export interface Credentials {
  readonly secretId: string;
  readonly secretKey: string;
  /** The session token of temporary credentials, else `null`. */
  readonly token: string | null;
}

/** The source of an account's credentials. */
export interface CredentialsProvider {
  /**
   * The credentials for a signature, or `null` for requests without a signature. SecretId, SecretKey and
   * token always belong together.
   *
   * @throws CodedError `Credentials`; the message says what is missing and never contains a secret
   */
  get(): Promise<Credentials | null>;
  /**
   * The service refused credentials. Looks for others, unless there are others already.
   *
   * @returns whether `get` now gives others; never rejects
   */
  refused(used: Credentials): Promise<boolean>;
  /** When the present credentials end, on the machine's clock. `null` if that is unknown, or never. */
  expiresAtMs(): number | null;
}
