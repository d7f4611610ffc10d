/** The role that is bound to a machine of the cloud, from the metadata service (docs/service.md, section 12). */
import type { SecureContext } from 'node:tls';
import { Client } from 'undici';
import { z } from 'zod';
import type { Clock } from '../../model/clock.ts';
import { codeOf } from '../../model/errors.ts';
import { checkedSecret, CredentialsError } from './credentials.ts';
import type { ExpiringOptions } from './expiring.ts';

export interface MetadataOptions {
  /** An origin such as `http://metadata.tencentyun.com`. */
  readonly endpoint: string;
  /** Maximum duration of one request. */
  readonly timeoutMs: number;
  /** The authorities that are trusted, for an https origin. */
  readonly secureContext?: SecureContext | undefined;
}

const path = '/latest/meta-data/cam/security-credentials/';
/** More than any answer has. */
const maxBytes = 64 * 1024;
const roleName = /^[\w+=,.@-]{1,128}$/;

const answerSchema = z.object({
  Code: z.literal('Success'),
  TmpSecretId: z.string(),
  TmpSecretKey: z.string(),
  Token: z.string(),
  ExpiredTime: z.number(),
});

/**
 * Fetches the temporary credentials of the machine's role.
 *
 * @param current returns the present options; called at each fetch
 * @param role the name of the role; asked for when it is undefined
 */
export function cvmRoleFetch(
  current: () => MetadataOptions,
  role: string | undefined,
  clock: Clock,
): ExpiringOptions['fetch'] {
  return async (signal) => {
    const options = current();
    const name = role ?? (await ask(path, options, signal)).trim();
    if (!roleName.test(name)) throw failure('its answer is not the name of a role');
    const text = await ask(path + encodeURIComponent(name), options, signal);
    const answer = answerSchema.safeParse(parseJson(text));
    if (!answer.success) throw failure(`its answer does not have the credentials of ${name}`);
    const { TmpSecretId, TmpSecretKey, Token, ExpiredTime } = answer.data;
    const expiresAtMs = ExpiredTime * 1_000;
    if (expiresAtMs <= clock.now())
      throw failure('its credentials have expired, or the clock is wrong');
    const checked = (value: string) => checkedSecret('cvm_role', value, 'the metadata service');
    return {
      credentials: {
        secretId: checked(TmpSecretId),
        secretKey: checked(TmpSecretKey),
        token: checked(Token),
      },
      expiresAtMs,
    };
  };
}

/**
 * Asks directly, and never through a proxy: the address of the service is link-local.
 *
 * @throws CredentialsError; the message quotes nothing of the answer
 */
async function ask(
  target: string,
  { endpoint, timeoutMs, secureContext }: MetadataOptions,
  closing: AbortSignal,
): Promise<string> {
  const client = new Client(endpoint, { connect: { secureContext } });
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([closing, timeout]);
  try {
    const { statusCode, body } = await client.request({ method: 'GET', path: target, signal });
    if (statusCode === 404) {
      throw failure('it knows no such role: bind a role to this machine, or correct `role`');
    }
    if (statusCode !== 200) throw failure(`it answered with HTTP status ${statusCode}`);
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    for await (const chunk of body) {
      if (!Buffer.isBuffer(chunk)) continue;
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw failure(`its answer is longer than ${maxBytes} bytes`);
    }
    return Buffer.concat(chunks).toString();
  } catch (error) {
    if (error instanceof CredentialsError) throw error;
    if (timeout.aborted) throw failure(`it did not answer within ${timeoutMs} ms`);
    // The error itself may quote the answer.
    throw failure(`it cannot be reached (${codeOf(error) ?? 'no answer'})`);
  } finally {
    void client.destroy();
  }
}

function failure(reason: string): CredentialsError {
  return new CredentialsError('cvm_role', `the metadata service gave no credentials: ${reason}`);
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return null;
  }
}
