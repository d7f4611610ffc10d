/** What the configuration says of a type of credentials, and what its provider needs. */
import type { z } from 'zod';
import type { CredentialsProvider } from '../api/credentials.ts';
import type { FailureType } from './provider.ts';
import { ExpiringCredentials, type ExpiringOptions } from './expiring.ts';
import type { StsClient } from './role-session.ts';
import type { Transport } from '../api/transport.ts';
import type { BoundedCalls } from '../bounded-calls.ts';
import type { Clock } from '../model/clock.ts';

/** What a provider of credentials needs. */
export interface CredentialsTools {
  readonly clock: Clock;
  readonly random: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fileCalls: BoundedCalls;
  readonly transport: Transport;
  /** The present settings of requests. */
  readonly api: () => { readonly metadataEndpoint: string; readonly timeoutMs: number };
  /** Ends every fetch. */
  readonly signal: AbortSignal;
  /** Records whether a reading or a fetch works. */
  readonly countFailures: <T>(work: Promise<T>) => Promise<T>;
  /** The client of STS that signs with the given credentials. */
  readonly sts: (signer: CredentialsProvider) => StsClient;
  /** The credentials that assume a role. */
  readonly source: CredentialsProvider;
}

/** A statement of a policy, in the form of access management. */
export type PolicyStatement = Readonly<Record<string, unknown>>;

/** What a row says, besides the keys. Functions are written as methods, so that a row of any type is one of all. */
export interface CredentialsTypeRules<Config> {
  /** Names who signs: the same text for all credentials of one identity. Holds no secret. */
  identity(config: Config): string;
  /** The ways in which the owner of its source may assume it. Absent for keys. */
  trust?(config: Config, owner: string): readonly PolicyStatement[];
  /** Whether it exists on this machine, for the type `default`. Reads no secret. */
  exists?(tools: Pick<CredentialsTools, 'env' | 'fileCalls'>): Promise<boolean>;
  /** The types that can fail. */
  readonly failureTypes: readonly FailureType[];
  create(config: Config, tools: CredentialsTools): CredentialsProvider;
}

/** A row of the table: the keys of a type, with its name and description, and what it says. */
export function credentialsType<Schema extends z.ZodObject>(
  schema: Schema,
  says: CredentialsTypeRules<z.output<Schema>>,
) {
  return { schema, ...says };
}

/** The same provider. Its failures are recorded. */
export function countingFailures(
  provider: CredentialsProvider,
  watch: CredentialsTools['countFailures'],
): CredentialsProvider {
  return { ...provider, get: () => watch(provider.get()) };
}

/** Credentials that are fetched. Failures to fetch them are recorded. */
export function expiring(
  { clock, random, countFailures }: CredentialsTools,
  fetch: ExpiringOptions['fetch'],
): CredentialsProvider {
  return new ExpiringCredentials({ clock, random, fetch: () => countFailures(fetch()) });
}
