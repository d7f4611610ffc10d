import { describe, expect, it } from 'vitest';
import { sansOf } from '../../../src/web-config/client-certificate.ts';
import { startProtected } from '../../helpers/protected-server.ts';
import { ask, webConfigFile } from '../../helpers/toolkit-client.ts';

/** How a client with a known, an unknown and no certificate is answered. */
async function statuses(keys: string) {
  const text = `tls_server_config: { cert_file: server.crt, key_file: server.key, ${keys} }`;
  const { url } = await startProtected(await webConfigFile(text));
  const status = (certificate?: string) =>
    ask(url, certificate === undefined ? {} : { certificate }).then(
      (received) => received.status,
      () => 'refused',
    );
  return [await status('client_selfsigned'), await status('client2_selfsigned'), await status()];
}

describe('a client with a known, an unknown and no certificate', () => {
  const ca = 'client_ca_file: client_selfsigned.pem';

  it.each([
    ['NoClientCert', '', [200, 200, 200]],
    ['RequestClientCert', ca, [200, 200, 200]],
    ['RequireAnyClientCert', ca, [200, 200, 'refused']],
    ['RequireClientCert', ca, [200, 200, 'refused']],
    ['VerifyClientCertIfGiven', ca, [200, 'refused', 200]],
    ['RequireAndVerifyClientCert', ca, [200, 'refused', 'refused']],
    ['RequireAndVerifyClientCert', '', ['refused', 'refused', 'refused']],
    ['RequestClientCert', 'client_allowed_sans: [test3]', ['refused', 200, 'refused']],
    ['VerifyClientCertIfGiven', 'client_allowed_sans: [test3]', ['refused', 'refused', 'refused']],
    ['RequireAnyClientCert', 'client_allowed_sans: []', ['refused', 'refused', 'refused']],
  ])('is answered as %s says, with %s', async (type, keys, expected) => {
    expect(await statuses(`client_auth_type: ${type}, ${keys}`)).toEqual(expected);
  });
});

describe('the alternative names of a certificate', () => {
  it.each([
    ['DNS:a.example.com, DNS:*.b', ['a.example.com', '*.b']],
    ['IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1', ['127.0.0.1', '::1']],
    ['email:a@b.c, URI:spiffe://a/b?c=d', ['a@b.c', 'spiffe://a/b?c=d']],
    ['DNS:"a, DNS:b", DNS:c', ['a, DNS:b', 'c']],
    ['URI:"a\\u0000b"', ['a\u0000b']],
    ['othername:<unsupported>, DNS:a', ['a']],
    [undefined, []],
  ])('are read one by one: %s', (subjectAltName, names) => {
    expect(sansOf({ subjectAltName })).toEqual(names);
  });
});
