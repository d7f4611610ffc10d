import { expect, it } from 'vitest';
import {
  encodeQuery,
  endpointOf,
  wireRequest,
  type Parameter,
  type SignatureMethod,
} from '../../../src/api/request.ts';

const request = {
  service: 'cvm',
  version: '2017-03-12',
  action: 'DescribeAccountQuota',
  region: 'ap-guangzhou',
  parameters: [] as readonly Parameter[],
};

/** The values of the vectors in docs/service.md, section 4.3. */
const credentials = { secretId: 'example-id', secretKey: 'example-key', token: null };
const context = {
  host: 'cvm.tencentcloudapi.com',
  timestampSeconds: 1_700_000_000,
  nonce: 11_886,
};

const sign = (method: SignatureMethod, parameters: readonly Parameter[] = []) =>
  wireRequest({ ...request, parameters }, credentials, { ...context, method });

it.each([
  ['hmac-sha256', 'H3tJNtgr7%2B%2FZYd%2B0NX6dKUfliDuekEqOjBGFl75GTi8%3D'],
  ['hmac-sha1', 'F6XoIRRzhhD33A%2FoqhGTsXabs6g%3D'],
] as const)(
  'a signature in the query string equals the vector for %s, percent-encoded',
  (method, signature) => {
    expect(sign(method).path).toMatch(new RegExp(`&Signature=${signature}$`));
  },
);

it('a tc3 signature equals the vector for an empty query', () => {
  const { path, headers } = sign('tc3');

  expect(path).toBe('/');
  expect(headers.authorization).toBe(
    'TC3-HMAC-SHA256 Credential=example-id/2023-11-14/cvm/tc3_request, SignedHeaders=content-type;host, Signature=00aa79675176001dc0c5cecf69853206ea4610ed929675acc65d0dc7dadceb8e',
  );
});

it('a tc3 signature equals the vector for a query', () => {
  const { path, headers } = sign('tc3', [
    ['LaunchTemplateId', 'lt-b8v1kcyq'],
    ['Offset', '0'],
    ['Limit', '10'],
  ]);

  expect(path).toBe('/?LaunchTemplateId=lt-b8v1kcyq&Offset=0&Limit=10');
  expect(headers.authorization).toMatch(
    /Signature=8c823d79038dcf2280fb8bc2f993f72cbad5c69f40330c892c26beb80fad8c67$/,
  );
});

it('a tc3 signature has the scope and the version of the service that is asked', () => {
  const vpc = { ...request, service: 'vpc', version: '2020-01-01', action: 'DescribeSubnets' };

  const { headers } = wireRequest(vpc, credentials, { ...context, method: 'tc3' });

  expect(headers).toMatchObject({
    authorization: expect.stringContaining('/2023-11-14/vpc/tc3_request,') as unknown,
    'x-tc-version': '2020-01-01',
    'x-tc-action': 'DescribeSubnets',
  });
});

const json = { body: { Token: 'a-secret' }, secrets: ['a-secret'] };

it.each(['tc3', 'hmac-sha1'] as const)(
  'parameters with secrets among them are sent as JSON with a tc3 signature, also if other requests are signed with %s',
  (method) => {
    const wire = wireRequest({ ...request, json }, credentials, { ...context, method });

    expect(wire).toMatchObject({ path: '/', body: '{"Token":"a-secret"}' });
    expect(wire.headers.authorization).toMatch(/^TC3-HMAC-SHA256 /);
    expect(wire.secrets).toContain('a-secret');
  },
);

it('parameters with secrets among them can go without a signature', () => {
  const wire = wireRequest({ ...request, json }, null, { ...context, method: 'tc3' });

  expect(wire.headers.authorization).toBe('SKIP');
});

it('an unsigned request has nothing that only a signature needs', () => {
  const parameters: Parameter[] = [['LaunchTemplateId', 'lt-b8v1kcyq']];

  const wire = wireRequest({ ...request, parameters }, null, { ...context, method: 'tc3' });

  expect(wire).toEqual({
    path: '/?Action=DescribeAccountQuota&Version=2017-03-12&Region=ap-guangzhou&LaunchTemplateId=lt-b8v1kcyq',
    headers: {},
    body: null,
    secrets: [],
  });
});

it('a query has all but the unreserved characters of RFC 3986 percent-encoded', () => {
  const query = encodeQuery([['Value', "aZ09-._~ !'()*+/=&%é"]]);

  expect(query).toBe('Value=aZ09-._~%20%21%27%28%29%2A%2B%2F%3D%26%25%C3%A9');
});

it.each([
  [null, 'domestic', 'cvm', 'https://cvm.tencentcloudapi.com/'],
  [null, 'international', 'vpc', 'https://vpc.intl.tencentcloudapi.com/'],
  ['http://127.0.0.1:80', 'international', 'cvm', 'http://127.0.0.1/'],
  ['https://{service}.{region}.example', 'domestic', 'vpc', 'https://vpc.ap-x.example/'],
] as const)('the endpoint %s of the site %s is for %s: %s', (endpoint, site, service, expected) => {
  expect(endpointOf(endpoint, site, { service, region: 'ap-x' }).href).toBe(expected);
});
