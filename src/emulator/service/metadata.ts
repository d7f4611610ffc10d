/**
 * The metadata service of a machine, with the temporary keys of its role (docs/service.md, section 12). `service.ts`
 * passes its requests here. Not published, so we chose: each request gets new keys, and every other path answers 404.
 */
import type { PublicContext } from '../operations/operation.ts';
import { openSession } from '../operations/session.ts';
import { replyOf, type EmulatorReply, type EmulatorRequest } from '../protocol/message.ts';
import type { RoleOfAccount } from '../scenario/account.ts';
import { trusts } from '../scenario/policy.ts';

const prefix = '/latest/meta-data';
const rolesPath = `${prefix}/cam/security-credentials/`;

/** True for the paths of the metadata service; `/` is the path of all other services. */
export function isMetadataRequest({ target }: EmulatorRequest): boolean {
  return target === prefix || target.startsWith(`${prefix}/`);
}

/**
 * Answers the list of roles, the keys of the role, or an HTTP error as text. An answer has no envelope and no error code.
 *
 * @returns what `service.ts` needs of every answer; the account is that of the role, `null` without a role
 */
export function answerMetadata(request: EmulatorRequest, context: PublicContext) {
  const bound = machineRole(context);
  const reply = replyTo(request, bound, context);
  return { decoded: null, account: bound?.account ?? null, code: null, reply };
}

/** The role of the machine. `null` when no role is bound, or the role does not trust machines. */
function machineRole({ settings, state }: PublicContext): RoleOfAccount | null {
  const { machine } = settings;
  if (machine === undefined) return null;
  const account = state.account(machine.account);
  const role = account.roles.find(({ name }) => name === machine.role);
  const name = 'cvm.qcloud.com';
  const call = { action: 'name/sts:AssumeRole', principal: 'service', name, context: {} } as const;
  return role === undefined || !trusts(role.trust, call) ? null : { account, role };
}

/** How long each set of temporary keys is valid. */
const durationMs = 7_200_000;

/** @param bound the result of {@link machineRole} */
function replyTo(
  { method, target }: EmulatorRequest,
  bound: RoleOfAccount | null,
  context: PublicContext,
): EmulatorReply {
  if (method !== 'GET') return text(405, 'Method Not Allowed\n');
  if (bound === null) return text(404, 'Not Found\n');
  if (target === rolesPath || `${target}/` === rolesPath) return text(200, bound.role.name);
  if (target !== rolesPath + encodeURIComponent(bound.role.name)) return text(404, 'Not Found\n');
  const { Credentials, ...end } = openSession(context, bound, { name: 'cvm', durationMs });
  const body = { ...Credentials, ...end, Code: 'Success' };
  return replyOf(`${JSON.stringify(body, null, 2)}\n`);
}

function text(status: number, body: string): EmulatorReply {
  return replyOf(body, { status, contentType: 'text/plain' });
}
