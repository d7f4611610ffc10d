import { expect, it } from 'vitest';
import {
  encodeQuery,
  endpointOf,
  toWireRequest,
  type Parameter,
} from '../../../src/api/request.ts';

const request = {
  service: 'cvm',
  version: '2017-03-12',
  action: 'DescribeAccountQuota',
  region: 'ap-guangzhou',
  parameters: [] as readonly Parameter[],
};

const credentials = { secretId: 'example-id', secretKey: 'example-key', token: null };
const context = {
  host: 'cvm.tencentcloudapi.com',
  timestampSeconds: 1_700_000_000,
  nonce: 11_886,
};

it('a tc3 signature has the scope and the version of the service that is asked', () => {
  const vpc = { ...request, service: 'vpc', version: '2020-01-01', action: 'DescribeSubnets' };

  const { headers } = toWireRequest(vpc, credentials, { ...context, method: 'tc3' });

  expect(headers).toMatchObject({
    authorization: expect.stringContaining('/2023-11-14/vpc/tc3_request,') as unknown,
    'x-tc-version': '2020-01-01',
    'x-tc-action': 'DescribeSubnets',
  });
});

const secretBody = { Token: 'a-secret' };

it.each(['tc3', 'hmac-sha1'] as const)(
  'parameters with secrets among them are sent as JSON with a tc3 signature, also if other requests are signed with %s',
  (method) => {
    const wire = toWireRequest({ ...request, secretBody }, credentials, { ...context, method });

    expect(wire).toMatchObject({ path: '/', body: '{"Token":"a-secret"}' });
    expect(wire.headers.authorization).toMatch(/^TC3-HMAC-SHA256 /);
  },
);

it('parameters with secrets among them can go without a signature', () => {
  const wire = toWireRequest({ ...request, secretBody }, null, { ...context, method: 'tc3' });

  expect(wire.headers.authorization).toBe('SKIP');
});

it('an unsigned request has nothing that only a signature needs', () => {
  const parameters: Parameter[] = [['LaunchTemplateId', 'lt-b8v1kcyq']];

  const wire = toWireRequest({ ...request, parameters }, null, { ...context, method: 'tc3' });

  expect(wire).toEqual({
    path: '/?Action=DescribeAccountQuota&Version=2017-03-12&Region=ap-guangzhou&LaunchTemplateId=lt-b8v1kcyq',
    headers: {},
    body: null,
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
