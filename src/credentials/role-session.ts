/** Fetches the temporary credentials of a role from STS: the types `tke_oidc` and `assume_role` (docs/service.md, section 7). */
import { z } from 'zod';
import { duration } from '../validation/duration.ts';
import { nonSecretText } from '../validation/text-schemas.ts';
import { CodedError, clientErrorCodes } from '../model/coded-error.ts';
import type { AccountCalls } from '../api/call.ts';
import type { ServiceRequest } from '../api/request.ts';
import { readFields, type ServiceResponse } from '../api/response.ts';
import {
  checkedSecret,
  CredentialsError,
  givenKeys,
  noCredentials,
  temporaryCredentials,
  type FailureType,
  type FetchCredentials,
  type FetchedCredentials,
} from './provider.ts';
import type { CredentialsTools, KeysOf } from './credentials-type.ts';
import { readOrLast, readText } from './files.ts';

const sts = { service: 'sts', version: '2018-08-13', parameters: [] } as const;

/** The variables that a cluster with OIDC sets in its pods (docs/service.md, section 12). */
export const tkeVariables = {
  region: 'TKE_REGION',
  providerId: 'TKE_PROVIDER_ID',
  tokenFile: 'TKE_WEB_IDENTITY_TOKEN_FILE',
  roleArn: 'TKE_ROLE_ARN',
} as const;

const sessionName = nonSecretText(
  /^[\w+=,.@-]{2,128}$/,
  '2 to 128 letters, digits and + = , . @ _ -',
)
  .default('cvm-quota-monitor')
  .describe('The name of the session in the audit log of the cloud.');

/** The keys of the role of a pod, in the configuration. */
export const podRoleKeys = { session_name: sessionName };

/** The keys of a role that other credentials assume, in the configuration. */
export const assumedRoleKeys = {
  role_arn: z
    .string()
    .regex(/^qcs::cam::uin\/\d{1,20}:(roleName|role)\/[\w+=,.@/-]{1,200}$/, {
      error: 'expected a role such as qcs::cam::uin/100000000001:roleName/NAME',
    })
    .describe('The ARN of the role, such as qcs::cam::uin/100000000001:roleName/NAME.'),
  external_id: nonSecretText(
    /^[\w+=,.@:/-]{2,128}$/,
    '2 to 128 letters, digits and + = , . @ : / _ -',
  )
    .optional()
    .describe('The external ID that the role asks for.'),
  session_name: sessionName,
  duration: duration({ min: '1m', max: '12h' })
    .prefault('2h')
    .describe('How long each set of temporary credentials is valid.'),
};

/** STS has the same roles in all regions. The official SDK asks in this one, too. */
const stsRegion = 'ap-guangzhou';

/** Returns a function that fetches the credentials of a role, which `tools.source` assumes. */
export function assumedRoleFetch(
  config: KeysOf<typeof assumedRoleKeys>,
  tools: CredentialsTools,
): FetchCredentials {
  const { role_arn: roleArn, external_id: externalId } = config;
  const secretBody = {
    RoleArn: roleArn,
    RoleSessionName: config.session_name,
    DurationSeconds: config.duration / 1_000,
    ...(externalId !== undefined && { ExternalId: externalId }),
  };
  const request = { ...sts, action: 'AssumeRole', region: stsRegion, secretBody };
  const hints = {
    trust: 'check its trust policy, external_id, and the permission sts:AssumeRole of the source',
    identity: 'check the credentials of the source',
  };
  const calls = tools.stsCalls(tools.source);
  return () => fetchSession('assume_role', request, { calls, tools, roleArn, hints });
}

/**
 * Returns a function that fetches the credentials of the role of a pod. Each fetch reads the token again, because the
 * cluster replaces it. The requests are not signed.
 */
export function webIdentityFetch(
  keys: KeysOf<typeof podRoleKeys>,
  tools: CredentialsTools,
): FetchCredentials {
  const requiredVariable = (name: string) => {
    const value = tools.env[name]?.trim() ?? '';
    if (value !== '') return value;
    const message = `the environment variable ${name} is not set: run in a pod of a cluster with OIDC, whose service account has a role`;
    throw new CredentialsError('tke_oidc', message);
  };
  const tokenFile = () => requiredVariable(tkeVariables.tokenFile);
  const read = () => readText('tke_oidc', tokenFile());
  const readToken = readOrLast('tke_oidc', [tkeVariables.tokenFile], read, tools.fileCalls);
  const calls = tools.stsCalls(noCredentials);
  return async () => {
    const region = requiredVariable(tkeVariables.region);
    const roleArn = requiredVariable(tkeVariables.roleArn);
    const file = tokenFile();
    const token = checkedSecret('tke_oidc', (await readToken()).trim(), `the file ${file}`);
    const secretBody = {
      ProviderId: requiredVariable(tkeVariables.providerId),
      WebIdentityToken: token,
      RoleArn: roleArn,
      RoleSessionName: keys.session_name,
    };
    const request = { ...sts, action: 'AssumeRoleWithWebIdentity', region, secretBody };
    const hints = {
      trust: `check its trust policy, and the token in ${file}`,
      identity: `check the token in ${file}`,
    };
    return fetchSession('tke_oidc', request, { calls, tools, roleArn, hints });
  };
}

/** The codes that can mean a wrong trust policy. Longer codes that begin like them, such as `….MFAExpired`, have another cause. */
const trustCodes = ['UnauthorizedOperation', 'AuthFailure.UnauthorizedOperation'];

/** What to do about a failure of STS. `null` if its own message says more. */
function hintFor(code: string, { trust, identity }: FetchContext['hints']): string | null {
  if (trustCodes.includes(code)) return trust;
  const isWithoutAnswer = clientErrorCodes.some((clientCode) => clientCode === code);
  if (isWithoutAnswer) return 'check api.sts_endpoint, and the way to it';
  if (/^(AuthFailure|InvalidParameter\.WebIdentityToken)/.test(code)) return identity;
  return code.startsWith('ResourceNotFound') ? 'check that the role exists' : null;
}

const answerSchema = z.object({ Credentials: z.object(givenKeys), ExpiredTime: z.number() });

interface FetchContext {
  readonly calls: AccountCalls;
  readonly tools: CredentialsTools;
  readonly roleArn: string;
  /** What to do when STS refuses the role (`trust`) or the signature or token (`identity`). */
  readonly hints: Readonly<Record<'trust' | 'identity', string>>;
}

/** Calls STS once. @throws CredentialsError whose message begins with a hint */
async function fetchSession(
  type: FailureType,
  request: ServiceRequest,
  { calls: { call, serviceClock }, tools: { api, clock, signal }, roleArn, hints }: FetchContext,
): Promise<FetchedCredentials> {
  const { action } = request;
  // A fetch may begin another attempt as long as one may take.
  const context = { signal, deadlineMs: clock.now() + api().timeoutMs };
  const read = (response: ServiceResponse) => readFields(response, answerSchema);
  const { Credentials: given, ExpiredTime } = await call(request, read, context).catch(
    (error: unknown) => {
      if (!(error instanceof CodedError) || error instanceof CredentialsError) throw error;
      const { code, message } = error;
      const hint = hintFor(code, hints);
      // The hint is first, because long messages are cut.
      const text = `${action} of ${roleArn} failed with ${code}: ${hint === null ? message : `${hint} (${message})`}`;
      throw new CredentialsError(type, text, error);
    },
  );
  const expiresAtMs = ExpiredTime * 1_000 - serviceClock.correctionMs;
  if (expiresAtMs <= clock.now()) {
    const message = `${action} gave credentials that have expired: check the clock of this machine`;
    throw new CredentialsError(type, message);
  }
  return temporaryCredentials(type, given, expiresAtMs, `the answer of ${action}`);
}
