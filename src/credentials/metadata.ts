/** Fetches the credentials of the role that is bound to this machine: the type `cvm_role` (docs/service.md, section 12). */
import { z } from 'zod';
import { CodedError } from '../model/coded-error.ts';
import { codeOf } from '../model/errors.ts';
import { parseJson } from '../model/json.ts';
import { nonSecretText } from '../validation/text-schemas.ts';
import type { CredentialsTools, KeysOf } from './credentials-type.ts';
import {
  CredentialsError,
  givenKeys,
  temporaryCredentials,
  type FetchCredentials,
} from './provider.ts';

/** Answers the name of the machine's role; with a name after it, the credentials of that role. */
const rolesPath = '/latest/meta-data/cam/security-credentials/';
const roleName = /^[\w+=,.@-]{1,128}$/;

/** The keys in the configuration. */
export const machineRoleKeys = {
  role: nonSecretText(roleName, 'the name of a role')
    .optional()
    .describe('The name of the role. Default: the one that the metadata service names.'),
};

const answerSchema = z.object({
  Code: z.literal('Success'),
  ...givenKeys,
  ExpiredTime: z.number(),
});

/**
 * Returns a function that fetches the temporary credentials of the machine's role. It asks for the name of the role when
 * none is configured. Its errors quote nothing of the answer.
 */
export function machineRoleFetch(
  { role }: KeysOf<typeof machineRoleKeys>,
  tools: CredentialsTools,
): FetchCredentials {
  return async () => {
    const name = role ?? (await fetchText(rolesPath, tools)).trim();
    if (!roleName.test(name)) throw failure('its answer is not the name of a role');
    const text = await fetchText(rolesPath + encodeURIComponent(name), tools);
    const answer = answerSchema.safeParse(parseJson(text));
    if (!answer.success) {
      const whose = role ?? 'the role that it named';
      throw failure(`its answer does not have the credentials of ${whose}`);
    }
    const { ExpiredTime, ...given } = answer.data;
    const expiresAtMs = ExpiredTime * 1_000;
    const hasExpired = expiresAtMs <= tools.clock.now();
    if (hasExpired) throw failure('its credentials have expired, or the clock is wrong');
    return temporaryCredentials('cvm_role', given, expiresAtMs, 'the metadata service');
  };
}

/** Reads a path of the metadata service, never through a proxy: its address is link-local. */
async function fetchText(
  path: string,
  { api, signal, transport }: CredentialsTools,
): Promise<string> {
  const { metadataEndpoint, timeoutMs } = api();
  const request = { path, headers: {}, body: null };
  const { status, body } = await transport
    .sendWithoutProxy(new URL(metadataEndpoint), request, { timeoutMs, signal })
    .catch((error: unknown) => {
      if (!(error instanceof CodedError)) throw error;
      if (error.code === 'Timeout') throw failure(`it did not answer within ${timeoutMs} ms`);
      if (error.code === 'InvalidResponse') throw failure(error.message);
      // The error itself may quote the answer.
      throw failure(`it cannot be reached (${codeOf(error.cause) ?? 'no answer'})`);
    });
  if (status === 200) return body;
  throw failure(
    status === 404
      ? 'it knows no such role: bind a role to this machine, or correct `role`'
      : `it answered with HTTP status ${status}`,
  );
}

function failure(reason: string): CredentialsError {
  return new CredentialsError('cvm_role', `the metadata service gave no credentials: ${reason}`);
}
