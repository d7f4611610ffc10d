/**
 * The metadata service of a machine, with the temporary keys of its role (docs/service.md, section 12). Chosen,
 * because it is not published: each request gets new keys, and every other path answers 404.
 */
import { trusts } from '../access/policy.ts';
import { expiryOf } from '../operations/role-session.ts';
import { replyContent } from '../faults/apply-fault.ts';
import type { FaultRule } from '../faults/fault-rule.ts';
import type { EmulatorReply, EmulatorRequest } from '../protocol/message.ts';
import type { Account } from '../resources/accounts.ts';
import { openSession, type RoleOfAccount } from '../resources/roles.ts';
import type { Scenario } from '../scenario/schema.ts';

const prefix = '/latest/meta-data';
const rolesPath = `${prefix}/cam/security-credentials/`;

/** Whether a request is for the metadata service. */
export function isMetadataRequest({ target }: EmulatorRequest): boolean {
  return target === prefix || target.startsWith(`${prefix}/`);
}

type Machine = Scenario['machine'];

/** The account of the role of the machine. `null` when no role is bound. */
export function machineRole(machine: Machine, accounts: readonly Account[]): RoleOfAccount | null {
  if (machine === undefined) return null;
  const account =
    machine.account === undefined
      ? accounts[0]
      : accounts.find(({ name }) => name === machine.account);
  const role = account?.roles.get(machine.role);
  return account === undefined || role === undefined || !trustsMachine(role.trust)
    ? null
    : { account, role };
}

function trustsMachine(trust: RoleOfAccount['role']['trust']): boolean {
  const request = {
    action: 'name/sts:AssumeRole',
    principal: 'service',
    names: ['cvm.qcloud.com'],
    context: {},
  } as const;
  return trust === null || trusts(trust, request);
}

type Content = Omit<EmulatorReply, 'latencyMs'>;

export function metadataAnswer(
  { method, target }: EmulatorRequest,
  bound: RoleOfAccount | null,
  times: { readonly sessionMs: number; readonly nowMs: number; readonly clientNowMs: number },
): Content {
  if (method !== 'GET') return text(405, 'Method Not Allowed\n');
  if (bound === null) return text(404, 'Not Found\n');
  if (target === rolesPath || `${target}/` === rolesPath) return text(200, bound.role.name);
  if (target !== rolesPath + encodeURIComponent(bound.role.name)) return text(404, 'Not Found\n');
  const { sessionMs: durationMs, nowMs, clientNowMs } = times;
  const session = openSession(bound, { sessionName: 'cvm', durationMs, nowMs });
  const body = {
    TmpSecretId: session.secretId,
    TmpSecretKey: session.secretKey,
    ...expiryOf(clientNowMs + durationMs),
    Token: session.token,
    Code: 'Success',
  };
  return { ...text(200, `${JSON.stringify(body, null, 2)}\n`), contentType: 'application/json' };
}

/** Effects that replace the whole answer. The others only change how it is sent. */
const replacing: ReadonlySet<FaultRule['effect']> = new Set<FaultRule['effect']>([
  'error',
  'http-status',
  'garbage',
  'wrong-types',
  'gzip-bomb',
  'huge-body',
]);

/** The answer with the fault of a rule. */
export function withFault(rule: FaultRule | null, answer: Content): Content {
  if (rule === null) return answer;
  const faulty = replyContent(rule, { ok: true, fields: {} }, '');
  return replacing.has(rule.effect) ? faulty : { ...answer, delivery: faulty.delivery };
}

function text(status: number, body: string): Content {
  return { status, contentType: 'text/plain', headers: {}, body, delivery: { kind: 'whole' } };
}
