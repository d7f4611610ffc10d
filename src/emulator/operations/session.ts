/** Sessions of roles: the temporary keys that the operations of STS and the metadata service give. */
import { randomBytes } from 'node:crypto';
import type { RoleOfAccount } from '../scenario/account.ts';
import type { Policy } from '../scenario/policy.ts';
import { isoSeconds } from '../scenario/schema-parts.ts';
import type { PublicContext } from './operation.ts';

interface Session {
  readonly name: string;
  /** What narrows the policy of the role down. Default: nothing. */
  readonly policies?: readonly Policy[];
  readonly durationMs: number;
}

/** An ended session is kept for an hour, so that its key gets AuthFailure.TokenFailure, not SecretIdNotFound. */
const endedSessionKeptMs = 3_600_000;

/**
 * Creates a temporary key of a role, and forgets sessions that ended an hour ago.
 *
 * @returns the key and its end, which clients compare with their own clocks, as fields of an answer
 */
export function openSession(
  { state: { keys }, nowMs, clientNowMs }: PublicContext,
  { account, role }: RoleOfAccount,
  { name, policies = [], durationMs }: Session,
) {
  for (const [id, { untilMs, session }] of keys) {
    if (session !== undefined && untilMs + endedSessionKeptMs < nowMs) keys.delete(id);
  }
  const key = {
    secret_id: `AKID${randomBytes(36).toString('base64url')}`,
    secret_key: randomBytes(32).toString('base64'),
    token: randomBytes(180).toString('base64url'),
    account,
    policies: [role.policy ?? [], policies].flat(),
    untilMs: nowMs + durationMs,
    session: { role, name },
  };
  keys.set(key.secret_id, key);
  const clientUntilMs = clientNowMs + durationMs;
  return {
    Credentials: { Token: key.token, TmpSecretId: key.secret_id, TmpSecretKey: key.secret_key },
    ExpiredTime: Math.floor(clientUntilMs / 1_000),
    Expiration: isoSeconds(clientUntilMs),
  };
}
