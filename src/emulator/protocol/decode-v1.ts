/**
 * Decodes requests whose parameters, common ones included, are in a query string or form, and verifies their signature
 * HmacSHA1 or HmacSHA256 (docs/service.md, section 4.1). `decode.ts` selects this form for all requests that are not TC3.
 */
import { createHmac } from 'node:crypto';
import {
  commonNames,
  formType,
  type RequestParts,
  type RequestContent,
  type CommonName,
} from './message.ts';
import { textParameters } from './parameters.ts';
import { check, required, ServiceError } from './service-error.ts';

const largestFormBytes = 1024 * 1024;

/** @throws ServiceError when the request cannot be read, or is too large */
export function decodeV1({
  method,
  host,
  rawQuery,
  contentType = formType,
  body,
}: RequestParts): RequestContent {
  const pairs = [...new URLSearchParams(rawQuery)];
  if (body.length > largestFormBytes) throw new ServiceError('RequestSizeLimitExceeded');
  if (body.length > 0) {
    const message = `A body with common parameters must be ${formType}.`;
    check(contentType.startsWith(formType), 'InvalidRequest', message);
    pairs.push(...new URLSearchParams(new TextDecoder().decode(body)));
  }
  const isCommon = ([name]: readonly [string, string]) => commonNames.has(name);
  const { values } = textParameters(pairs.filter(isCommon));
  const commonParameter = (name: CommonName) => {
    const { [name]: value } = values;
    return typeof value === 'string' ? value : null;
  };
  const algorithm = commonParameter('SignatureMethod') === 'HmacSHA256' ? 'HmacSHA256' : 'HmacSHA1';
  return {
    signing: commonParameter('Signature') === null ? null : algorithm,
    secretId: commonParameter('SecretId'),
    commonParameter,
    parameters: textParameters(pairs.filter((pair) => !isCommon(pair))),
    readSignature: () => {
      required(commonParameter('SecretId'), 'SecretId');
      const signature = required(commonParameter('Signature'), 'Signature');
      // The official SDK also sends the nonce 0, although the documentation requires a positive one.
      const isNonce = /^\d{1,20}$/.test(required(commonParameter('Nonce'), 'Nonce'));
      check(isNonce, 'InvalidParameter', 'The parameter `Nonce` is not an integer.');
      // By name, in the order of code units.
      const signed = pairs
        .filter(([name]) => name !== 'Signature')
        .sort(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1))
        .map(([name, value]) => `${name}=${value}`);
      const toSign = `${method}${host}/?${signed.join('&')}`;
      const hashName = algorithm.slice('Hmac'.length);
      return (secretKey) =>
        createHmac(hashName, secretKey).update(toSign).digest('base64') === signature;
    },
  };
}
