/** Gets the temporary credentials of a role from STS (docs/service.md, section 7). */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { HungCallError, type BoundedCalls } from '../../files/bounded-calls.ts';
import type { Clock } from '../../model/clock.ts';
import { CodedError, type OwnErrorCode } from '../../model/coded-error.ts';
import {
  checkedSecret,
  CredentialsError,
  type CredentialsType,
} from '../credentials/credentials.ts';
import type { ExpiringOptions, TemporaryCredentials } from '../credentials/expiring.ts';
import { unreadable } from '../credentials/reread.ts';
import { tkeVariables } from '../credentials/usual-names.ts';
import type { ServiceRequest } from '../request.ts';
import { readFields } from '../response.ts';
import type { ServiceCall } from '../retrying-call.ts';

export interface StsClient {
  readonly call: ServiceCall;
  readonly clock: Clock;
  /** Added to the machine's time to get that of the service. */
  readonly correctionMs: () => number;
  /** No attempt begins so long after the first one. */
  readonly maxRetryMs: () => number;
}

export interface AssumedRole {
  readonly roleArn: string;
  readonly externalId?: string | undefined;
  readonly sessionName: string;
  readonly durationMs: number;
}

/** STS is one service for all regions. The official SDK uses this one, too. */
const stsRegion = 'ap-guangzhou';

/** Fetches the credentials of a role. The client signs with those of the source. */
export function assumeRoleFetch(role: AssumedRole, client: StsClient): ExpiringOptions['fetch'] {
  const { roleArn, externalId, sessionName, durationMs } = role;
  const request: ServiceRequest = {
    operation: 'AssumeRole',
    region: stsRegion,
    parameters: [],
    sts: {
      body: {
        RoleArn: roleArn,
        RoleSessionName: sessionName,
        DurationSeconds: durationMs / 1_000,
        ...(externalId !== undefined && { ExternalId: externalId }),
      },
      secrets: externalId === undefined ? [] : [externalId],
    },
  };
  const hint =
    'check its trust policy, external_id, and the permission sts:AssumeRole of the source';
  return (signal) => fetchSession('assume_role', request, { client, roleArn, hint, signal });
}

export interface TkeIdentity {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sessionName: string;
  readonly calls: BoundedCalls;
}

/** Fetches the credentials of the role of a pod. Its token is read at each fetch, because it is replaced. */
export function tkeOidcFetch(
  { env, sessionName, calls }: TkeIdentity,
  client: StsClient,
): ExpiringOptions['fetch'] {
  const variable = (name: string) => {
    const value = env[name]?.trim() ?? '';
    if (value !== '') return value;
    const message = `the environment variable ${name} is not set: run in a pod of a cluster with OIDC, whose service account has a role`;
    throw new CredentialsError('tke_oidc', message);
  };
  const readToken = tokenReader(calls);
  return async (signal) => {
    const region = variable(tkeVariables.region);
    const providerId = variable(tkeVariables.providerId);
    const tokenFile = variable(tkeVariables.tokenFile);
    const roleArn = variable(tkeVariables.roleArn);
    const webIdentityToken = await readToken(tokenFile);
    const request: ServiceRequest = {
      operation: 'AssumeRoleWithWebIdentity',
      region,
      parameters: [],
      sts: {
        body: {
          ProviderId: providerId,
          WebIdentityToken: webIdentityToken,
          RoleArn: roleArn,
          RoleSessionName: sessionName,
        },
        secrets: [webIdentityToken],
      },
    };
    const hint = `check its trust policy, and the token in ${tokenFile}`;
    return fetchSession('tke_oidc', request, { client, roleArn, hint, signal });
  };
}

/** Reads a token. While its mount hangs, or those of two other accounts, it gives the last one that was read. */
function tokenReader(calls: BoundedCalls): (file: string) => Promise<string> {
  let last: string | null = null;
  return async (file) => {
    const text = await calls
      .run('credentials', file, () => readFile(file, 'utf8'))
      .catch((error: unknown) => {
        // STS refuses it if it has expired.
        if (error instanceof HungCallError && last !== null) return last;
        throw unreadable('tke_oidc', file, error);
      });
    last = checkedSecret('tke_oidc', text.trim(), `the file ${file}`);
    return last;
  };
}

/** The codes of failures for which STS gave no code. */
const unreachable: ReadonlySet<string> = new Set<OwnErrorCode>([
  'Timeout',
  'NetworkError',
  'HttpStatus',
  'InvalidResponse',
]);

const answerSchema = z.object({
  Credentials: z.object({ Token: z.string(), TmpSecretId: z.string(), TmpSecretKey: z.string() }),
  ExpiredTime: z.number(),
});

interface FetchContext {
  readonly client: StsClient;
  readonly roleArn: string;
  /** What to do about a refusal. */
  readonly hint: string;
  readonly signal: AbortSignal;
}

async function fetchSession(
  type: CredentialsType,
  request: ServiceRequest,
  { client, roleArn, hint, signal }: FetchContext,
): Promise<TemporaryCredentials> {
  const { call, clock, correctionMs, maxRetryMs } = client;
  const deadlineMs = clock.now() + maxRetryMs();
  const { Credentials: given, ExpiredTime } = await call(
    request,
    (response) => readFields(response, answerSchema),
    { signal, deadlineMs },
  ).catch((error: unknown) => {
    if (!(error instanceof CodedError) || error instanceof CredentialsError) throw error;
    const { code, message } = error;
    const advice = unreachable.has(code) ? 'check api.sts_endpoint, and the way to it' : hint;
    // The advice is first, because long messages are cut.
    const text = `${request.operation} of ${roleArn} failed with ${code}: ${advice} (${message})`;
    throw new CredentialsError(type, text, error);
  });
  const expiresAtMs = ExpiredTime * 1_000 - correctionMs();
  if (expiresAtMs <= clock.now()) {
    const message = `${request.operation} gave credentials that have expired: check the clock of this machine`;
    throw new CredentialsError(type, message);
  }
  const checked = (value: string) =>
    checkedSecret(type, value, `the answer of ${request.operation}`);
  const credentials = {
    secretId: checked(given.TmpSecretId),
    secretKey: checked(given.TmpSecretKey),
    token: checked(given.Token),
  };
  return { credentials, expiresAtMs };
}
