/**
 * Reads the file of `--web.config.file`, and the certificates that it names. docs/security.md lists the keys. `protection.ts`
 * calls it for `serve`, at the start and again and again, and `check-web-config` calls it once.
 */
import { X509Certificate, constants, createPrivateKey } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { z } from 'zod';
import { KeyedQueue } from '../../model/async.ts';
import { messageOf } from '../../model/errors.ts';
import { isMap } from '../../validation/always.ts';
import { readYamlFile } from '../../validation/read-yaml.ts';
import { readRegularFile } from '../../validation/regular-file.ts';

/** Two names of Go's `tls.ClientAuthType`. Go's other names accept clients without a verified certificate. */
const clientAuthTypes = ['NoClientCert', 'RequireAndVerifyClientCert'] as const;

/** By the name that Go gives a version of TLS, that of Node.js. */
const nodeVersions = { TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const;

export type WebConfig = Awaited<ReturnType<typeof readWebConfig>>;

/**
 * Reads and checks the file. Paths in it are relative to it. An empty file: plain HTTP, for everyone.
 *
 * @throws InvalidFileError with every problem, also of the certificates; at the keys that name them
 */
export async function readWebConfig(file: string) {
  const schema = webConfigSchema(dirname(file));
  const input = (await readYamlFile(file, schema)) ?? {};
  const { basic_auth_users: users, http_server_config: http, tls_server_config: tls } = input;
  return {
    /** `null` for plain HTTP. */
    tls: tls ?? null,
    /** The headers of every answer. */
    headers: http?.headers ?? {},
    /** The bcrypt hash of each user's password. Empty if everyone may read. */
    users: users ?? new Map<string, string>(),
  };
}

/** Keys of the exporter toolkit that this program does not have. A file with one is refused. */
function unsupported(...keys: readonly string[]) {
  const error = 'is a key of the exporter toolkit that this program does not have';
  return Object.fromEntries(keys.map((key) => [key, z.never({ error }).optional()]));
}

const versionSchema = z.enum(['TLS12', 'TLS13']);

/** With a higher cost than 18, one password takes more than half a minute, and others wait for it. */
const bcryptHash = z.string().regex(/^\$2[aby]\$(?:0[4-9]|1[0-8])\$[./A-Za-z0-9]{53}$/, {
  error: 'is not a bcrypt hash with a cost from 4 to 18',
});

/** Node.js refuses to send other characters, such as a line break. */
const headerValue = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine((value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value), {
    error: 'has a character that a header cannot have',
  });

/** The headers that the toolkit allows. */
const headersSchema = z.partialRecord(
  z.enum([
    'Content-Security-Policy',
    'Strict-Transport-Security',
    'X-Content-Type-Options',
    'X-Frame-Options',
    'X-XSS-Protection',
  ]),
  headerValue,
);

/** A map, because an object would lose the user `__proto__`, and without users everyone may read. */
const usersSchema = z.preprocess(
  (value) => (isMap(value) ? new Map(Object.entries(value)) : value),
  z.map(z.string(), bcryptHash, { error: 'expected a map' }).nullable(),
);

function webConfigSchema(directory: string) {
  return z
    .strictObject({
      tls_server_config: tlsSchema(directory).nullable(),
      http_server_config: z
        // HTTP/1.1 is served, whatever `http2` says. Prometheus falls back by itself.
        .strictObject({ http2: z.boolean(), headers: headersSchema.nullable() })
        .partial()
        .nullable(),
      basic_auth_users: usersSchema,
      ...unsupported('rate_limit'),
    })
    .partial()
    .nullable();
}

/** The schema of `tls_server_config`. Its output has the options of a TLS server, and whether clients need a certificate. */
function tlsSchema(directory: string) {
  const pemFile = pemFileSchemas(directory);
  const toCertificate = (text: string) => new X509Certificate(text);
  return z
    .strictObject({
      cert_file: pemFile('a certificate in PEM', toCertificate),
      key_file: pemFile('a private key in PEM without passphrase', createPrivateKey),
      client_ca_file: pemFile('a certificate in PEM', toCertificate).optional(),
      client_auth_type: z.enum(clientAuthTypes).default('NoClientCert'),
      min_version: versionSchema.default('TLS12'),
      max_version: versionSchema.default('TLS13'),
      ...unsupported('cert', 'key', 'client_ca', 'client_allowed_sans'),
      ...unsupported('cipher_suites', 'curve_preferences', 'prefer_server_cipher_suites'),
    })
    .transform((tls, context) => {
      // `null`: the mistake is not at one key.
      const refuse = (key: string | null, message: string) => {
        context.addIssue({ code: 'custom', path: key === null ? [] : [key], message });
      };
      const { client_auth_type: clientAuth, client_ca_file: clientCa } = tls;
      const options: SecureContextOptions = {
        cert: tls.cert_file,
        key: tls.key_file,
        // Without a list, Node.js would load the authorities that it trusts.
        ca: clientCa ?? [],
        minVersion: nodeVersions[tls.min_version],
        maxVersion: nodeVersions[tls.max_version],
        // A client could let the server compute one handshake after the other.
        secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      };
      if (!toCertificate(tls.cert_file).checkPrivateKey(createPrivateKey(tls.key_file))) {
        refuse('key_file', 'is not the key of the certificate');
      }
      if ((clientCa !== undefined) !== (clientAuth === 'RequireAndVerifyClientCert')) {
        refuse('client_auth_type', 'RequireAndVerifyClientCert and client_ca_file need each other');
      }
      if (tls.min_version === 'TLS13' && tls.max_version === 'TLS12') {
        refuse('min_version', 'is above max_version');
      }
      if (context.issues.length === 0) {
        try {
          createSecureContext(options);
        } catch (error) {
          refuse(null, `cannot be used: ${messageOf(error)}`);
        }
      }
      return { context: options, clientAuth };
    });
}

/**
 * Returns a function that makes the schema of the path of a PEM file. The output of the schema is the text of the file, which
 * `parse` accepts: it throws for a text that is not `what`. The files of a configuration are read one after the other: a mount
 * that hangs takes one thread. No message quotes the text: it may be a key.
 */
function pemFileSchemas(directory: string) {
  const queue = new KeyedQueue();
  return (what: string, parse: (text: string) => unknown) =>
    z.string().transform(async (path, context) => {
      let text: string | null = null;
      try {
        text = await queue.run(directory, () => readRegularFile(resolve(directory, path), 'utf8'));
        parse(text);
        return text;
      } catch (error) {
        const message =
          text === null ? `the file cannot be read: ${messageOf(error)}` : `is not ${what}`;
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      }
    });
}
