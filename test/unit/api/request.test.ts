import { expect, it } from 'vitest';
import { encodeQuery, unsignedRequest } from '../../../src/api/request.ts';

it('percent-encodes all but the unreserved characters of RFC 3986', () => {
  const query = encodeQuery([['Value', "aZ09-._~ !'()*+/=&%é"]]);

  expect(query).toBe('Value=aZ09-._~%20%21%27%28%29%2A%2B%2F%3D%26%25%C3%A9');
});

it('writes an unsigned request without what only a signature needs', () => {
  const request = unsignedRequest({
    operation: 'DescribeLaunchTemplateVersions',
    region: 'ap-guangzhou',
    parameters: [['LaunchTemplateId', 'lt-b8v1kcyq']],
  });

  expect(request).toEqual({
    path: '/?Action=DescribeLaunchTemplateVersions&Version=2017-03-12&Region=ap-guangzhou&LaunchTemplateId=lt-b8v1kcyq',
    headers: {},
    body: null,
    secrets: [],
  });
});
