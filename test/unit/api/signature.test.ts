import { describe, expect, it } from 'vitest';
import type { Parameter } from '../../../src/api/request.ts';
import type { SignatureMethod } from '../../../src/api/signature-methods.ts';
import { createSigner } from '../../../src/api/signature.ts';

/** The values of the vectors in docs/service.md, section 4.3. */
const context = {
  credentials: { secretId: 'example-id', secretKey: 'example-key', token: null },
  host: 'cvm.tencentcloudapi.com',
  timestampSeconds: 1_700_000_000,
  nonce: 11_886,
};

const sign = (method: SignatureMethod, parameters: readonly Parameter[] = []) =>
  createSigner(method)(
    { operation: 'DescribeAccountQuota', region: 'ap-guangzhou', parameters },
    context,
  );

const signatureInQuery = (path: string) =>
  new URL(path, 'http://host').searchParams.get('Signature');

describe('a signature in the query string', () => {
  it('equals the vector for HmacSHA256', () => {
    const { path } = sign('hmac-sha256');

    expect(signatureInQuery(path)).toBe('H3tJNtgr7+/ZYd+0NX6dKUfliDuekEqOjBGFl75GTi8=');
  });

  it('equals the vector for HmacSHA1', () => {
    const { path } = sign('hmac-sha1');

    expect(signatureInQuery(path)).toBe('F6XoIRRzhhD33A/oqhGTsXabs6g=');
  });

  it('is percent-encoded with upper-case digits', () => {
    const { path } = sign('hmac-sha256');

    expect(path).toContain('Signature=H3tJNtgr7%2B%2FZYd%2B0NX6dKUfliDuekEqOjBGFl75GTi8%3D');
  });
});

describe('a tc3 signature', () => {
  it('equals the vector for an empty query', () => {
    const { path, headers } = sign('tc3');

    expect(path).toBe('/');
    expect(headers.authorization).toBe(
      'TC3-HMAC-SHA256 Credential=example-id/2023-11-14/cvm/tc3_request, SignedHeaders=content-type;host, Signature=00aa79675176001dc0c5cecf69853206ea4610ed929675acc65d0dc7dadceb8e',
    );
  });

  it('equals the vector for a query', () => {
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

  it('follows the time, the credentials, the host and the query', () => {
    const signer = createSigner('tc3');
    const request = { operation: 'DescribeAccountQuota', region: 'r', parameters: [] } as const;
    const authorization = (changes: Partial<typeof context>) =>
      signer(request, { ...context, ...changes }).headers.authorization;

    const first = authorization({});
    const nextDay = authorization({ timestampSeconds: context.timestampSeconds + 86_400 });
    const otherKey = authorization({
      credentials: { ...context.credentials, secretKey: 'other-key' },
    });
    const otherId = authorization({
      credentials: { ...context.credentials, secretId: 'other-id' },
    });
    const nextSecond = authorization({ timestampSeconds: context.timestampSeconds + 1 });
    const otherHost = authorization({ host: 'cvm.ap-guangzhou.tencentcloudapi.com' });
    const otherQuery = signer({ ...request, parameters: [['Limit', '10']] }, context);

    expect(nextDay).toContain('/2023-11-15/');
    const others = [nextDay, otherKey, otherId, nextSecond, otherHost];
    expect(new Set([first, ...others, otherQuery.headers.authorization]).size).toBe(7);
    expect(authorization({})).toBe(first);
  });
});
