/** Fetches the temporary credentials of a role from STS: the types `tke_oidc` and `assume_role` (docs/service.md, section 7). */
import { z } from 'zod';
import type { BoundedCalls } from '../bounded-calls.ts';
import type { Clock } from '../model/clock.ts';
import { CodedError, clientErrorCodes } from '../model/coded-error.ts';
import type { AccountCalls } from '../api/call.ts';
import type { ServiceRequest } from '../api/request.ts';
import { readFields } from '../api/response.ts';
import { checkedSecret, CredentialsError, type FailureType } from './provider.ts';
import { temporaryCredentials, type TemporaryCredentials } from './expiring.ts';
import type { Environment } from './environment.ts';
import { readOrLast, textOf } from './files.ts';

const sts = { service: 'sts', version: '2018-08-13', parameters: [] } as const;

/** The variables that a cluster with OIDC sets in its pods (docs/service.md, section 12). */
export const tkeVariables = {
  region: 'TKE_REGION',
  providerId: 'TKE_PROVIDER_ID',
  tokenFile: 'TKE_WEB_IDENTITY_TOKEN_FILE',
  roleArn: 'TKE_ROLE_ARN',
} as const;

/** Calls STS, signed with the credentials of a source. */
export interface StsClient extends AccountCalls {
  readonly clock: Clock;
  /** Ends every fetch. */
  readonly signal: AbortSignal;
  /** How long after its start a fetch may begin another attempt. */
  readonly maxRetryMs: () => number;
}

export interface AssumedRole {
  readonly roleArn: string;
  readonly externalId?: string | undefined;
  readonly sessionName: string;
  readonly durationMs: number;
}

/** STS has the same roles in all regions. The official SDK asks in this one, too. */
const stsRegion = 'ap-guangzhou';

/** Fetches the credentials of a role that the owner of `client`'s credentials assumes. @throws CredentialsError */
export function fetchAssumedRole(
  { roleArn, externalId, sessionName, durationMs }: AssumedRole,
  client: StsClient,
): Promise<TemporaryCredentials> {
  const body = {
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    DurationSeconds: durationMs / 1_000,
    ...(externalId !== undefined && { ExternalId: externalId }),
  };
  const redact = externalId === undefined ? [] : [externalId];
  const secretBody = { body, redact };
  const request = { ...sts, action: 'AssumeRole', region: stsRegion, secretBody };
  const hints = {
    trust: 'check its trust policy, external_id, and the permission sts:AssumeRole of the source',
    identity: 'check the credentials of the source',
  };
  return fetchSession('assume_role', request, { client, roleArn, hints });
}

/**
 * Returns a function that fetches the credentials of the role of a pod. Each fetch reads the token again, because the
 * cluster replaces it. Its `client` does not sign. Rejects with a CredentialsError.
 */
export function webIdentityFetch(
  env: Environment,
  sessionName: string,
  calls: BoundedCalls,
): (client: StsClient) => Promise<TemporaryCredentials> {
  const variable = (name: string) => {
    const value = env[name]?.trim() ?? '';
    if (value !== '') return value;
    const message = `the environment variable ${name} is not set: run in a pod of a cluster with OIDC, whose service account has a role`;
    throw new CredentialsError('tke_oidc', message);
  };
  const tokenFile = () => variable(tkeVariables.tokenFile);
  const readToken = readOrLast(
    'tke_oidc',
    tkeVariables.tokenFile,
    () => textOf('tke_oidc', tokenFile()),
    calls,
  );
  return async (client) => {
    const region = variable(tkeVariables.region);
    const roleArn = variable(tkeVariables.roleArn);
    const file = tokenFile();
    const token = checkedSecret('tke_oidc', (await readToken()).trim(), `the file ${file}`);
    const body = {
      ProviderId: variable(tkeVariables.providerId),
      WebIdentityToken: token,
      RoleArn: roleArn,
      RoleSessionName: sessionName,
    };
    const request = {
      ...sts,
      action: 'AssumeRoleWithWebIdentity',
      region,
      secretBody: { body, redact: [token] },
    };
    const hints = {
      trust: `check its trust policy, and the token in ${file}`,
      identity: `check the token in ${file}`,
    };
    return fetchSession('tke_oidc', request, { client, roleArn, hints });
  };
}

/** What to do when STS refuses the role (`trust`) or the signature or token (`identity`). */
interface Hints {
  readonly trust: string;
  readonly identity: string;
}

/** The codes that can mean a wrong trust policy. Longer codes that begin like them, such as `….MFAExpired`, have another cause. */
const trustCodes = ['UnauthorizedOperation', 'AuthFailure.UnauthorizedOperation'];
/** The codes of requests that STS did not answer. */
const unansweredCodes: readonly string[] = clientErrorCodes;

/** What to do about a failure of STS. `null` if its own message says more. */
function hintFor(code: string, { trust, identity }: Hints): string | null {
  if (trustCodes.includes(code)) return trust;
  if (unansweredCodes.includes(code)) return 'check api.sts_endpoint, and the way to it';
  const isIdentity = /^(AuthFailure|InvalidParameter\.WebIdentityToken)/.test(code);
  if (isIdentity) return identity;
  return code.startsWith('ResourceNotFound') ? 'check that the role exists' : null;
}

const answerSchema = z.object({
  Credentials: z.object({ Token: z.string(), TmpSecretId: z.string(), TmpSecretKey: z.string() }),
  ExpiredTime: z.number(),
});

interface FetchContext {
  readonly client: StsClient;
  readonly roleArn: string;
  readonly hints: Hints;
}

/** Calls STS once. @throws CredentialsError whose message begins with a hint */
async function fetchSession(
  type: FailureType,
  request: ServiceRequest,
  { client, roleArn, hints }: FetchContext,
): Promise<TemporaryCredentials> {
  const { call, clock, maxRetryMs, serviceClock, signal } = client;
  const { action } = request;
  const { Credentials: given, ExpiredTime } = await call(
    request,
    (response) => readFields(response, answerSchema),
    { signal, deadlineMs: clock.now() + maxRetryMs() },
  ).catch((error: unknown) => {
    if (!(error instanceof CodedError) || error instanceof CredentialsError) throw error;
    const { code, message } = error;
    const hint = hintFor(code, hints);
    // The hint is first, because long messages are cut.
    const text = `${action} of ${roleArn} failed with ${code}: ${hint === null ? message : `${hint} (${message})`}`;
    throw new CredentialsError(type, text, error);
  });
  const expiresAtMs = ExpiredTime * 1_000 - serviceClock.correctionMs;
  if (expiresAtMs <= clock.now()) {
    const message = `${action} gave credentials that have expired: check the clock of this machine`;
    throw new CredentialsError(type, message);
  }
  return temporaryCredentials(type, given, expiresAtMs, `the answer of ${action}`);
}
