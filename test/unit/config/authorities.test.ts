import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { expect, it } from 'vitest';
import { certificatesIn } from '../../../src/config/authorities.ts';

const [first = '', second = ''] = rootCertificates;

it('the certificates of a file are those between its markers', () => {
  const text = `Our authority\r\n${first.replaceAll('\n', '\r\n')}\n\n# the other one\n${second}`;

  expect(certificatesIn(text)).toEqual([first.replaceAll('\n', '\r\n'), second]);
});

const key = createPrivateKey(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }),
);

it.each([
  ['nothing', '', 'has no certificate in PEM form'],
  ['text', 'hello', 'has no certificate in PEM form'],
  [
    'a private key alone',
    key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    'has no certificate in PEM form',
  ],
  ['half a certificate', first.slice(0, 200), 'has no certificate in PEM form'],
  [
    'a certificate that is damaged',
    `${first}\n${second.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA')}`,
    'certificate 2 of the file cannot be read',
  ],
])('%s is refused', (_what, text, message) => {
  expect(() => certificatesIn(text)).toThrow(message);
});
