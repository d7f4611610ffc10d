/** The contract of a type of credentials: the rules in its row of the table in `types.ts`, and its tools for fetching. */
import { z } from 'zod';
import type { CredentialsProvider } from '../api/credentials.ts';
import type { Environment } from '../api/proxy.ts';
import type { FailureType, FetchCredentials } from './provider.ts';
import type { AccountCalls, CallTools } from '../api/call.ts';
import type { BoundedCalls } from '../bounded-calls.ts';

/** What types fetch with. `sources.ts` gives them, and each type takes what it needs. */
export interface CredentialsTools extends Pick<CallTools, 'clock' | 'transport'> {
  readonly env: Environment;
  readonly fileCalls: BoundedCalls;
  /** The settings of requests in the configuration in force. */
  readonly api: () => { readonly metadataEndpoint: string; readonly timeoutMs: number };
  /** Aborts fetches: when no account uses the credentials any more, and when the daemon stops. */
  readonly signal: AbortSignal;
  /** Returns calls of STS, signed with the given credentials. */
  readonly stsCalls: (signer: CredentialsProvider) => AccountCalls;
  /** The credentials that assume the role. None for other types. */
  readonly source: CredentialsProvider;
}

/** A statement of an access policy, in the form of the service's access management (CAM). */
export type PolicyStatement = Readonly<Record<string, unknown>>;

/**
 * What a row says about its type, besides the keys in the configuration. Functions are written as methods, so that the rules
 * of any type can be used as rules of `CredentialsConfig`.
 */
export interface CredentialsTypeRules<Config> {
  /** Names who signs: the same text for all credentials of one identity. Holds no secret. */
  identity(config: Config): string;
  /**
   * The statements of the trust policy of a role. Absent for types that are no role.
   *
   * @param owner the number of the account that may assume it; only `assume_role` needs it
   */
  trust?(config: Config, owner: string): readonly PolicyStatement[];
  /** Whether there are such credentials on this machine. Reads no secret. Absent: the type `default` does not look for them. */
  exists?(tools: Pick<CredentialsTools, 'env' | 'fileCalls'>): boolean | Promise<boolean>;
  /** The types that its failures can have: the label of their counters, which begin at 0. Absent: the type itself. */
  readonly failureTypes?: readonly FailureType[];
  /** Returns the function that fetches the credentials. Absent: requests are not signed. */
  fetch?(config: Config, tools: CredentialsTools): FetchCredentials;
}

/** The rules of a row, with the types that its failures can have. */
export interface CredentialsTypeRow<Config> extends CredentialsTypeRules<Config> {
  readonly failureTypes: readonly FailureType[];
}

/** The values of some keys in the configuration. */
export type KeysOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

/** The schema of a type: the key `type` with the description, and the other keys. */
export const typeSchema = <Name extends string, Shape extends z.ZodRawShape>(
  name: Name,
  description: string,
  keys: Shape,
) => z.strictObject({ type: z.literal(name).describe(description), ...keys });

/** Makes a row of the table in `types.ts`: the schema of a type, and its rules with the default of `failureTypes`. */
export function credentialsType<
  Name extends string,
  Shape extends z.ZodRawShape,
  Rules extends CredentialsTypeRules<KeysOf<Shape> & { readonly type: Name }>,
>(name: Name, description: string, keys: Shape, rules: Rules) {
  return { schema: typeSchema(name, description, keys), failureTypes: [name], ...rules };
}
