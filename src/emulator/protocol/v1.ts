/** Requests whose parameters, common ones included, are in a query string or form (docs/service.md, section 4.1). */
import { createHmac } from 'node:crypto';
import {
  commonNames,
  formType,
  type RequestParts,
  type SignedRequest,
  type CommonName,
} from './message.ts';
import { givenTwice, textParameters } from './parameters.ts';
import { required, ServiceError } from './service-error.ts';

const largestFormBytes = 1024 * 1024;

/** @throws ServiceError when the request cannot be read, or is too large */
export function decodeV1({
  method,
  host,
  rawQuery,
  contentType = formType,
  body,
}: RequestParts): SignedRequest {
  const pairs = [...new URLSearchParams(rawQuery)];
  if (body.length > largestFormBytes) throw new ServiceError('RequestSizeLimitExceeded');
  if (body.length > 0) {
    if (!contentType.startsWith(formType)) {
      const message = `A body with common parameters must be ${formType}.`;
      throw new ServiceError('InvalidRequest', message);
    }
    pairs.push(...new URLSearchParams(new TextDecoder().decode(body)));
  }
  const values = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (!commonNames.has(name)) continue;
    if (values.has(name)) throw givenTwice(name);
    values.set(name, value);
  }
  const common = (name: CommonName) => values.get(name) ?? null;
  const algorithm = common('SignatureMethod') === 'HmacSHA256' ? 'HmacSHA256' : 'HmacSHA1';
  const toSign = () => {
    const signed = pairs
      .filter(([name]) => name !== 'Signature')
      .sort(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1))
      .map(([name, value]) => `${name}=${value}`);
    return `${method}${host}/?${signed.join('&')}`;
  };
  return {
    signing: common('Signature') === null ? null : algorithm,
    secretId: common('SecretId'),
    common,
    parameters: textParameters(pairs.filter(([name]) => !commonNames.has(name))),
    claim: () => {
      const secretId = required(common('SecretId'), 'SecretId');
      const signature = required(common('Signature'), 'Signature');
      // The official SDK also sends the nonce 0, although the documentation requires a positive one.
      if (!/^\d{1,20}$/.test(required(common('Nonce'), 'Nonce'))) {
        throw new ServiceError('InvalidParameter', 'The parameter `Nonce` is not an integer.');
      }
      return {
        secretId,
        isMadeWith: (secretKey) =>
          createHmac(algorithm.slice('Hmac'.length), secretKey)
            .update(toSign())
            .digest('base64') === signature,
      };
    },
  };
}
