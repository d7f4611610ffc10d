/**
 * The entries of the list of received requests, without secrets, for `emulator.requests` and
 * `GET /_emulator/requests`. `service.ts` creates one for each request, also for one that cannot be read.
 */
import { headerOf, type DecodedRequest, type EmulatorRequest } from '../protocol/message.ts';
import type { Account } from '../scenario/account.ts';
import { metadataOperation } from '../scenario/vocabulary.ts';
import { isMetadataRequest } from './metadata.ts';

/** One request and its answer. */
export interface ReceivedRequest {
  /** Time of arrival, ISO 8601 in UTC. */
  readonly at: string;
  readonly request_id: string;
  readonly method: string;
  /** The Host header as sent. `null` without one. */
  readonly host: string | null;
  /** Headers. Names are in lower case, secrets are replaced by `***`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The signature method. `null` when the request is not signed or cannot be read. */
  readonly signing: DecodedRequest['signing'];
  readonly secret_id: string | null;
  readonly operation: string | null;
  /** The unverified account of the request. */
  readonly account: string | null;
  readonly region: string | null;
  /** The parameters of the operation. `null` when they cannot be read, or path and body together are longer than 2 KB. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  /** The HTTP status of the answer. `null` when a fault prevented an answer. */
  readonly status: number | null;
  /** The error code of the answer. `null` for success. */
  readonly code: string | null;
  /** The effect of the fault rule that decided the answer. `null` when no rule did. */
  readonly fault: string | null;
  readonly latency_ms: number;
}

const longestName = 100;
const longestHeader = 500;
const largestLoggedBytes = 2048;

/**
 * The part of an entry that the answer does not change, with long values cut off.
 *
 * @param decoded `null` when the request cannot be read, or is for the metadata service
 */
export function loggedRequest(
  request: EmulatorRequest,
  decoded: DecodedRequest | null,
  account: Account | null,
) {
  const { signing = null, secretId = null } = decoded ?? {};
  const action = decoded?.commonParameter('Action');
  const operation = isMetadataRequest(request) ? metadataOperation : (action ?? null);
  const region = decoded?.commonParameter('Region') ?? null;
  const host = headerOf(request, 'host');
  return {
    method: excerpt(request.method),
    host: host && excerpt(host),
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [
        excerpt(name),
        excerpt(redactHeader(name, String(value ?? '')), longestHeader),
      ]),
    ),
    signing,
    secret_id: secretId && excerpt(secretId),
    parameters: decoded === null ? null : loggedParameters(request, decoded),
    operation: operation && excerpt(operation),
    account: account?.name ?? null,
    region: region && excerpt(region),
  };
}

/** The beginning of a text, as a copy: a slice would keep the whole text in memory as long as the log entry. */
export function excerpt(text: string, length = longestName): string {
  return Buffer.from(text.slice(0, length)).toString();
}

/**
 * The value of a header, or `***` for one that is secret by its name. Of an Authorization, the name of the scheme stays,
 * or `SKIP`.
 */
function redactHeader(name: string, value: string): string {
  const [scheme = ''] = /^\S+(?=\s)/.exec(value) ?? [];
  if (name === 'authorization') return value === 'SKIP' ? value : `${scheme} ***`.trim();
  return /token|secret|cookie|password|authorization/.test(name) ? '***' : value;
}

/** Parameters that prove the identity of the caller, or that hold secrets of an instance. */
const secretParameters: ReadonlySet<string> = new Set([
  'WebIdentityToken',
  'ExternalId',
  'UserData',
  'LoginSettings',
]);

/** The parameters, with `***` for secret ones. `null` when path and body are together longer than 2 KB. */
function loggedParameters({ target, body }: EmulatorRequest, { parameters }: DecodedRequest) {
  const sizeBytes = target.length + (body?.length ?? 0);
  if (sizeBytes > largestLoggedBytes) return null;
  const entries = Object.entries(parameters.values);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, secretParameters.has(name) ? '***' : value]),
  );
}
