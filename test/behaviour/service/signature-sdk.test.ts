/** The official SDK as the oracle for every signature that the published vectors do not cover. */
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toWireRequest, type ServiceRequest } from '../../../src/api/request.ts';

/** What the SDK keeps to itself, reached from inside of its package. */
const sdkRequire = createRequire(import.meta.resolve('tencentcloud-sdk-nodejs-cvm'));
const sdkFolder = 'tencentcloud-sdk-nodejs-common/tencentcloud/common';
const { default: sdk } = sdkRequire(`${sdkFolder}/sign`) as {
  default: {
    sign(secretKey: string, text: string, method: string): string;
    sign3(request: object): string;
  };
};
const text = fc.string({ minLength: 1, unit: 'grapheme' });
const requests = fc.record<ServiceRequest>({
  service: fc.constantFrom('cvm', 'vpc'),
  version: fc.constant('2017-03-12'),
  action: fc.constantFrom('DescribeAccountQuota', 'DescribeLaunchTemplateVersions'),
  region: fc.stringMatching(/^[a-z]{2}-[a-z]{4,10}$/),
  parameters: fc
    .uniqueArray(
      fc.stringMatching(/^[A-Z][A-Za-z]{0,8}(\.(0|[1-9][0-9]?)(\.[A-Z][a-z]{1,5})?)?$/),
      {
        maxLength: 12,
      },
    )
    .chain((names) => fc.tuple(...names.map((name) => fc.tuple(fc.constant(`Own${name}`), text)))),
});

const secret = fc.stringMatching(/^[A-Za-z0-9+/=._-]{1,64}$/);
const keys = fc.record({ secretId: secret, secretKey: secret, token: fc.option(secret) });
const contexts = fc.record({
  host: fc.constantFrom('cvm.tencentcloudapi.com', 'cvm.ap-shanghai-fsi.tencentcloudapi.com'),
  timestampSeconds: fc.integer({ min: 0, max: 4_102_444_800 }),
  nonce: fc.integer({ min: 1, max: 0x7fff_ffff }),
});

const numRuns = 300;

it.each([
  ['hmac-sha256', 'HmacSHA256'],
  ['hmac-sha1', 'HmacSHA1'],
] as const)(
  `a %s signature equals that of the official SDK over ${numRuns} generated requests`,
  (method, sdkMethod) => {
    const { AbstractClient } = sdkRequire(`${sdkFolder}/abstract_client`) as {
      AbstractClient: new (
        endpoint: string,
        version: string,
        config: object,
      ) => { formatSignString(parameters: object): string };
    };
    fc.assert(
      fc.property(requests, keys, contexts, (request, credentials, context) => {
        const { path } = toWireRequest(request, credentials, { ...context, method });

        const { searchParams } = new URL(path, 'http://host');
        const { Signature, ...parameters } = Object.fromEntries(searchParams);

        const { host } = context;
        const sdkClient = new AbstractClient(host, '2017-03-12', {
          profile: { httpProfile: { reqMethod: 'GET' } },
        });
        const signed = sdkClient.formatSignString(parameters);
        expect(Signature).toBe(sdk.sign(credentials.secretKey, signed, sdkMethod));
        expect(parameters).toEqual({
          ...Object.fromEntries(request.parameters),
          Action: request.action,
          Version: '2017-03-12',
          Region: request.region,
          Timestamp: String(context.timestampSeconds),
          Nonce: String(context.nonce),
          SecretId: credentials.secretId,
          SignatureMethod: sdkMethod,
          ...(credentials.token === null ? {} : { Token: credentials.token }),
        });
      }),
      { numRuns },
    );
  },
);

/** What the SDK signs with TC3. */
const sign3 = (keys: { readonly secretId: string; readonly secretKey: string }, request: object) =>
  sdk.sign3({
    ...{ secretId: keys.secretId, secretKey: keys.secretKey, multipart: false, boundary: '' },
    ...request,
  });

it(`a tc3 signature equals that of the official SDK over ${numRuns} generated requests`, () => {
  fc.assert(
    fc.property(requests, keys, contexts, (request, credentials, context) => {
      const { host, timestampSeconds: timestamp } = context;
      const { path, headers } = toWireRequest(request, credentials, { ...context, method: 'tc3' });
      const { service } = request;
      const expected = sign3(credentials, {
        timestamp,
        service,
        url: `https://${host}${path}`,
        method: 'GET',
        payload: '',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      });
      expect(headers.authorization).toBe(expected);
      expect(headers['x-tc-token']).toBe(credentials.token ?? undefined);
    }),
    { numRuns },
  );
});

it(`the signature of a request to STS equals that of the official SDK over ${numRuns} generated requests`, () => {
  const bodies = fc.dictionary(fc.stringMatching(/^[A-Z][A-Za-z]{1,12}$/), text, { maxKeys: 5 });
  fc.assert(
    fc.property(bodies, keys, contexts, (body, credentials, context) => {
      const host = 'sts.tencentcloudapi.com';
      const service = 'sts';
      const call = { service, version: '2018-08-13', action: 'AssumeRole', region: 'ap-guangzhou' };
      const request = { ...call, parameters: [], secretBody: body };
      const { headers } = toWireRequest(request, credentials, {
        ...context,
        host,
        method: 'hmac-sha1',
      });
      const timestamp = context.timestampSeconds;
      const expected = sign3(credentials, {
        timestamp,
        service,
        url: `https://${host}/`,
        method: 'POST',
        payload: Buffer.from(JSON.stringify(body)),
        headers: { 'Content-Type': 'application/json' },
      });
      expect(headers.authorization).toBe(expected);
      expect(headers['x-tc-token']).toBe(credentials.token ?? undefined);
    }),
    { numRuns },
  );
});
