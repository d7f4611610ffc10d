/**
 * Decodes a request as received: `service.ts` calls it first. The two forms of requests, by headers (TC3) or by
 * parameters (v1), have a file each.
 */
import {
  headerOf,
  type DecodedRequest,
  type EmulatorRequest,
  type RequestParts,
} from './message.ts';
import { services } from '../scenario/vocabulary.ts';
import { check, ServiceError } from './service-error.ts';
import { decodeTc3 } from './decode-tc3.ts';
import { decodeV1 } from './decode-v1.ts';

const largestTargetBytes = 32 * 1024;
/** The largest body that any request may have, in bytes (docs/service.md, section 4). */
export const largestBodyBytes = 10 * 1024 * 1024;

/**
 * Checks method, path and size, and decodes the rest. The signature is not verified yet: see
 * {@link DecodedRequest.readSignature}.
 *
 * @throws ServiceError when the request cannot be read, is too large, or names another product
 */
export function decode(request: EmulatorRequest): DecodedRequest {
  const { method, target } = request;
  if (method !== 'GET' && method !== 'POST') throw new ServiceError('UnsupportedProtocol');
  // Only a POST request has a body.
  const body = Buffer.from(method === 'POST' ? (request.body ?? []) : []);
  const isSmall = target.length <= largestTargetBytes && body.length <= largestBodyBytes;
  check(isSmall, 'RequestSizeLimitExceeded');
  const [path = ''] = target.split('?', 1);
  if (path !== '/') throw new ServiceError('InvalidRequest', 'The path of the request is not `/`.');
  const rawQuery = target.slice(path.length + 1);
  const host = headerOf(request, 'host') ?? '';
  const addressed = addressedService(host);
  const contentType = headerOf(request, 'content-type')?.toLowerCase();
  const parts: RequestParts = { ...request, host, rawQuery, contentType, body };
  // An Authorization of another scheme comes from a proxy or a client library. The service ignores it.
  const authorization = headerOf(request, 'authorization') ?? '';
  const isTc3 = headerOf(request, 'x-tc-action') !== null || authorization.startsWith('TC3-');
  return { ...addressed, ...(isTc3 ? decodeTc3(parts) : decodeV1(parts)) };
}

/**
 * The service and the gateway that a host such as `cvm.ap-shanghai.tencentcloudapi.com` names. A host of another
 * domain, such as 127.0.0.1, names no service, and reaches every one.
 */
function addressedService(host: string): Pick<DecodedRequest, 'service' | 'gateway'> {
  const [, service, gateway = ''] =
    /^([^.]+)\.(?:(.*)\.)?tencentcloudapi\.com(?::\d+)?$/i.exec(host) ?? [];
  if (service === undefined) return { service: null, gateway };
  const name = service.toLowerCase();
  if (services.has(name)) return { service: name, gateway: gateway.toLowerCase() };
  const message = `The product \`${service.slice(0, 100)}\` is not found.`;
  throw new ServiceError('NoSuchProduct', message);
}
