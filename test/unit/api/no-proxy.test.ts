import { expect, it } from 'vitest';
import { noProxyMatcher } from '../../../src/api/no-proxy.ts';

const name = 'https://cvm.ap-guangzhou.tencentcloudapi.com';

it.each([
  ['*', name, true],
  ['', name, false],
  [' , ', name, false],
  ['tencentcloudapi.com', name, true],
  ['.tencentcloudapi.com', name, true],
  ['*.tencentcloudapi.com', name, true],
  ['.TencentCloudAPI.com', name, true],
  ['cvm.ap-guangzhou.tencentcloudapi.com', name, true],
  ['.tencentcloudapi.com', 'https://tencentcloudapi.com', true],
  ['cloudapi.com', name, false],
  ['ap-guangzhou', name, false],
  ['example.com, 10.0.0.0/8,tencentcloudapi.com', name, true],
  ['example.com tencentcloudapi.com', name, true],
  ['tencentcloudapi.com:443', name, true],
  ['tencentcloudapi.com:443', 'http://cvm.tencentcloudapi.com', false],
  ['tencentcloudapi.com:80', 'http://cvm.tencentcloudapi.com', true],
  ['tencentcloudapi.com:8443', `${name}:8443`, true],
  ['tencentcloudapi.com:8443', name, false],
  ['10.0.0.0/8', 'https://10.1.2.3', true],
  ['10.0.0.0/8', 'https://10.1.2.3:8443', true],
  ['10.0.0.0/8', 'https://11.1.2.3', false],
  ['10.1.2.0/25', 'https://10.1.2.128', false],
  ['10.1.2.3/32', 'https://10.1.2.3', true],
  ['0.0.0.0/0', 'https://10.1.2.3', true],
  ['0.0.0.0/0', 'https://[::1]', false],
  ['0.0.0.0/0', name, false],
  ['10.0.0.0/8', 'https://[::ffff:10.1.2.3]', true],
  ['10.1.2.3', 'https://10.1.2.3', true],
  ['10.1.2.3', 'https://10.1.2.33', false],
  ['10.1.2.3:443', 'https://10.1.2.3', true],
  ['10.1.2.3:80', 'https://10.1.2.3', false],
  ['.2.3', 'https://10.1.2.3', false],
  ['fd00::/8', 'https://[fd12:3456::1]', true],
  ['fd00::/8', 'https://[fe80::1]', false],
  ['::1', 'https://[::1]:8443', true],
  ['0:0:0:0:0:0:0:1', 'https://[::1]', true],
  ['[::1]', 'https://[::1]', true],
  ['[::1]:8443', 'https://[::1]:8443', true],
  ['[::1]:8443', 'https://[::1]', false],
  ['[fd00::]/8', 'https://[fd12::1]', true],
  ['10.0.0.0/99', 'https://10.0.0.0', true],
  ['10.0.0.0/99', 'https://10.0.0.1', false],
  ['tencentcloudapi.com/8', name, false],
  ['10.0.0/8', 'https://10.0.0.1', false],
  ['.', name, false],
])('the list "%s" and the endpoint %s: %s', (list, endpoint, isMatch) => {
  expect(noProxyMatcher(list)(new URL(endpoint))).toBe(isMatch);
});

it('a list with one entry that cannot be read still has its other entries', () => {
  const matches = noProxyMatcher('10.0.0.0/a, :::/8, [, a:b:c, example.com');

  expect(matches(new URL('https://api.example.com'))).toBe(true);
  expect(matches(new URL(name))).toBe(false);
});
