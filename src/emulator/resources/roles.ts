/** Finds roles by their names, and creates their temporary keys. */
import { randomBytes } from 'node:crypto';
import type { Account, Role, Session } from './accounts.ts';

export interface RoleOfAccount {
  readonly account: Account;
  readonly role: Role;
}

const form = /^qcs::cam::uin\/(\d+):(roleName|role)\/([\w+=,.@-]+)$/;

/** Whether a text has the form of the name of a role: `qcs::cam::uin/12345678:roleName/NAME`, or `role/ID`. */
export function isRoleArn(text: string): boolean {
  return form.test(text);
}

/** The role of this name. `null` when there is none. */
export function roleOf(arn: unknown, accounts: readonly Account[]): RoleOfAccount | null {
  const [, uin, kind, name] = typeof arn === 'string' ? (form.exec(arn) ?? []) : [];
  for (const account of accounts) {
    if (account.uin !== uin) continue;
    for (const role of account.roles.values()) {
      if (name === (kind === 'role' ? role.id : role.name)) return { account, role };
    }
  }
  return null;
}

/** The names of a role, for policies. */
export function arnsOf({ account, role }: RoleOfAccount): readonly string[] {
  return [
    `qcs::cam::uin/${account.uin}:roleName/${role.name}`,
    `qcs::cam::uin/${account.uin}:role/${role.id}`,
  ];
}

/** Ended sessions are kept for so long, so that their keys are known as expired. */
const keptMs = 3_600_000;

/** Creates the temporary keys of a role. */
export function openSession(
  { account, role }: RoleOfAccount,
  { sessionName, durationMs, nowMs }: { sessionName: string; durationMs: number; nowMs: number },
): Session {
  for (const [id, { validUntilMs }] of account.sessions) {
    if (validUntilMs + keptMs < nowMs) account.sessions.delete(id);
  }
  const session: Session = {
    secretId: `AKID${randomBytes(36).toString('base64url')}`,
    secretKey: randomBytes(32).toString('base64'),
    token: randomBytes(180).toString('base64url'),
    validUntilMs: nowMs + durationMs,
    policy: role.policy,
    role,
    sessionName,
  };
  account.sessions.set(session.secretId, session);
  return session;
}
