/**
 * The keys that can sign requests: those of the scenario, and the temporary ones that STS and the metadata service
 * give.
 */
import { randomBytes } from 'node:crypto';
import type { AccessKey, Account, Role, RoleOfAccount } from '../scenario/account.ts';
import type { Policy } from '../scenario/policy.ts';

/** A key with its account and its end. */
export interface StoredKey {
  readonly account: Account;
  readonly key: Pick<AccessKey, 'secret_id' | 'secret_key' | 'token'> & {
    /** Each of them must allow what the key does. */
    readonly policies: readonly Policy[];
  };
  /** Milliseconds since the Unix epoch. `Infinity` for a key that does not end. */
  readonly untilMs: number;
  /** The role and session name of a temporary key. Absent for a key of the scenario. */
  readonly session?: { readonly role: Role; readonly name: string };
}

interface Session {
  readonly name: string;
  /** What narrows the policy of the role down. Default: nothing. */
  readonly policies?: readonly Policy[];
  readonly durationMs: number;
  readonly nowMs: number;
}

/** An ended session is kept for an hour, so that its key gets AuthFailure.TokenFailure, not SecretIdNotFound. */
const endedSessionKeptMs = 3_600_000;

/**
 * Creates a temporary key of a role, valid for `durationMs` from `nowMs`, and forgets sessions that ended an hour ago.
 */
export function openSession(
  keys: Map<string, StoredKey>,
  { account, role }: RoleOfAccount,
  { name, policies = [], durationMs, nowMs }: Session,
): Required<StoredKey['key']> {
  for (const [id, { untilMs, session }] of keys) {
    if (session !== undefined && untilMs + endedSessionKeptMs < nowMs) keys.delete(id);
  }
  const key = {
    secret_id: `AKID${randomBytes(36).toString('base64url')}`,
    secret_key: randomBytes(32).toString('base64'),
    token: randomBytes(180).toString('base64url'),
    policies: [role.policy ?? [], policies].flat(),
  };
  const session = { role, name };
  keys.set(key.secret_id, { account, key, untilMs: nowMs + durationMs, session });
  return key;
}
