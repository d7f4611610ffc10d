/** Creates certificates for a test. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
  /** The file of `cert`. A process trusts it if it is in NODE_EXTRA_CA_CERTS. */
  readonly certFile: string;
}

/** A self-signed certificate for these host names. Needs openssl. */
export async function selfSigned(
  directory: string,
  name: string,
  hosts: readonly string[],
): Promise<Certificate> {
  const keyFile = join(directory, `${name}.key`);
  const certFile = join(directory, `${name}.crt`);
  const names = hosts.map((host) => `DNS:${host}`).join(',');
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-nodes', '-days', '2', '-subj', `/CN=${name}`],
      ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
      ...['-addext', `subjectAltName=${names}`, '-keyout', keyFile, '-out', certFile],
    ],
    { stdio: 'ignore' },
  );
  return { key: await readFile(keyFile), cert: await readFile(certFile), certFile };
}
