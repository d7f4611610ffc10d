/** The keys of the emulated accounts. */
import { randomBytes } from 'node:crypto';
import type { AccessKey, Account, Role, RoleOfAccount } from '../scenario/account.ts';

/** A key that can sign: one of the scenario, or a temporary one of a role. */
export interface StoredKey {
  readonly account: Account;
  readonly key: Pick<AccessKey, 'secret_id' | 'secret_key' | 'token' | 'policy'>;
  /** Milliseconds since the Unix epoch. `Infinity` for a key that does not end. */
  readonly untilMs: number;
  /** Of a temporary key. */
  readonly session?: { readonly role: Role; readonly name: string };
}

/** Ended sessions are kept for so long, so that their keys are known as expired. */
const endedSessionKeptMs = 3_600_000;

/** All keys that can sign. */
export class KeyStore {
  /** By SecretId. */
  readonly #held = new Map<string, StoredKey>();

  get(secretId: string): StoredKey | undefined {
    return this.#held.get(secretId);
  }

  add(held: StoredKey): void {
    this.#held.set(held.key.secret_id, held);
  }

  /** Creates the temporary key of a role. */
  openSession(
    { account, role }: RoleOfAccount,
    { name, durationMs, nowMs }: { name: string; durationMs: number; nowMs: number },
  ): Required<StoredKey['key']> {
    for (const [id, { untilMs, session }] of this.#held) {
      if (session !== undefined && untilMs + endedSessionKeptMs < nowMs) this.#held.delete(id);
    }
    const key = {
      secret_id: `AKID${randomBytes(36).toString('base64url')}`,
      secret_key: randomBytes(32).toString('base64'),
      token: randomBytes(180).toString('base64url'),
      policy: role.policy,
    };
    this.add({ account, key, untilMs: nowMs + durationMs, session: { role, name } });
    return key;
  }
}
