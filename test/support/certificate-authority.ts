/** A certificate authority of a test. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { temporaryDirectory } from './directories.ts';

interface CertificateAuthority {
  /** The directory of all certificates and keys. */
  readonly directory: string;
  /** The file of its own certificate. */
  readonly file: string;
  /** Creates `NAME.crt` and `NAME.key`. Their subject alternative name is `san`, such as `DNS:localhost`. */
  issue(name: string, usage: 'serverAuth' | 'clientAuth', san: string): void;
}

const p256 = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Needs openssl. */
export async function createAuthority(): Promise<CertificateAuthority> {
  const directory = await temporaryDirectory();
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', args, { cwd: directory, stdio: 'ignore' });
  openssl(
    ...['req', '-x509', ...p256, '-days', '2', '-subj', '/CN=authority'],
    ...['-keyout', 'authority.key', '-out', 'authority.crt'],
  );
  return {
    directory,
    file: join(directory, 'authority.crt'),
    issue: (name, usage, san) => {
      writeFileSync(
        join(directory, `${name}.ext`),
        `subjectAltName=${san}\nextendedKeyUsage=${usage}\n`,
      );
      openssl(
        ...['req', ...p256, '-subj', `/CN=${name}`, '-keyout', `${name}.key`],
        ...['-out', `${name}.csr`],
      );
      openssl(
        ...['x509', '-req', '-in', `${name}.csr`, '-days', '2', '-extfile', `${name}.ext`],
        ...['-CA', 'authority.crt', '-CAkey', 'authority.key', '-CAcreateserial'],
        ...['-out', `${name}.crt`],
      );
    },
  };
}

/**
 * Writes a web configuration file with TLS for this machine.
 *
 * @param passwords of its users; none for no users
 * @param tls further keys of `tls_server_config`
 */
export async function tlsConfigFile(
  passwords: Readonly<Record<string, string>> = {},
  tls: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly file: string; readonly authority: CertificateAuthority }> {
  const authority = await createAuthority();
  authority.issue('server', 'serverAuth', 'DNS:localhost,IP:127.0.0.1');
  const file = join(authority.directory, 'web.yaml');
  const users = Object.entries(passwords).map(([user, password]) => [user, hashSync(password, 10)]);
  writeFileSync(
    file,
    JSON.stringify({
      tls_server_config: { cert_file: 'server.crt', key_file: 'server.key', ...tls },
      basic_auth_users: Object.fromEntries(users) as unknown,
    }),
  );
  return { file, authority };
}
