/** The authorities whose certificates are accepted in addition to the built-in ones of Node.js. */
import { X509Certificate } from 'node:crypto';

const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The certificates in the text of a PEM file. Other text in it is ignored.
 *
 * @throws Error that says what is wrong, and quotes nothing
 */
export function certificatesIn(pem: string): readonly string[] {
  const certificates = pem.match(block) ?? [];
  if (certificates.length === 0) throw new Error('the file has no certificate in PEM form');
  for (const [i, certificate] of certificates.entries()) {
    if (!isCertificate(certificate))
      throw new Error(`certificate ${i + 1} of the file cannot be read`);
  }
  return certificates;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
