/** The keys of a web configuration file, those of the exporter toolkit of Prometheus. */
import { z } from 'zod';
import { goDuration } from './go-duration.ts';
import { ciphers, curves, versionNames, versions } from './go-names.ts';

/** How a client certificate is asked for and checked. The words are those of Go (`tls.ClientAuthType`). */
const clientAuthTypes = [
  'NoClientCert',
  'RequestClientCert',
  'RequireAnyClientCert',
  /** The toolkit keeps this name for `RequireAnyClientCert`. */
  'RequireClientCert',
  'VerifyClientCertIfGiven',
  'RequireAndVerifyClientCert',
] as const;

const keysOf = <K extends string>(names: Readonly<Record<K, string>>) =>
  z.literal(Object.keys(names).filter((name): name is K => name in names));

const tlsServerConfig = z
  .strictObject({
    cert: z.string(),
    key: z.string(),
    client_ca: z.string(),
    cert_file: z.string(),
    key_file: z.string(),
    client_ca_file: z.string(),
    client_auth_type: z.union([z.enum(clientAuthTypes), z.literal('')]),
    client_allowed_sans: z.array(z.string()),
    min_version: keysOf(versions),
    max_version: keysOf(versions),
    cipher_suites: z.array(keysOf(ciphers)),
    curve_preferences: z.array(keysOf(curves)),
    prefer_server_cipher_suites: z.boolean(),
  })
  .partial()
  .superRefine((tls, context) => {
    if (Object.keys(tls).length === 0) return;
    const refuse = (path: string[], message: string) => {
      context.addIssue({ code: 'custom', path, message });
    };
    const { cert, cert_file, key, key_file, client_ca, client_ca_file } = tls;
    for (const [inline, file, name] of [
      [cert, cert_file, 'cert'],
      [key, key_file, 'key'],
      [client_ca, client_ca_file, 'client_ca'],
    ] as const) {
      if (isGiven(inline) && isGiven(file)) {
        refuse([name], `write either ${name} or ${name}_file`);
      }
      if (name !== 'client_ca' && !isGiven(inline) && !isGiven(file)) {
        refuse([], `${name} or ${name}_file is required`);
      }
    }
    const asksForNone = clientAuthOf(tls) === 'NoClientCert';
    if (asksForNone && (isGiven(client_ca) || isGiven(client_ca_file))) {
      refuse(
        [isGiven(client_ca) ? 'client_ca' : 'client_ca_file'],
        'needs a client_auth_type that asks clients for certificates',
      );
    }
    if (asksForNone && tls.client_allowed_sans !== undefined) {
      refuse(
        ['client_allowed_sans'],
        'needs a client_auth_type that asks clients for certificates',
      );
    }
    if (
      versionNames.indexOf(tls.min_version ?? 'TLS12') >
      versionNames.indexOf(tls.max_version ?? 'TLS13')
    ) {
      const key = tls.min_version === undefined ? 'max_version' : 'min_version';
      refuse([key], 'min_version (TLS12 if absent) is above max_version (TLS13 if absent)');
    }
  });

/** Whether a text has a value. As in the toolkit, an empty text is the same as none. */
export function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

/** The type of client authentication, by its present name. */
export function clientAuthOf({
  client_auth_type: type,
}: Pick<TlsServerConfig, 'client_auth_type'>) {
  if (type === undefined || type === '') return 'NoClientCert';
  return type === 'RequireClientCert' ? 'RequireAnyClientCert' : type;
}

/** Node.js refuses to send other characters, such as a line break. */
const headerValue = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine((value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value), {
    error: 'has a character that a header cannot have',
  });

const headers = z
  .strictObject({
    'Content-Security-Policy': headerValue,
    'Strict-Transport-Security': headerValue,
    'X-Content-Type-Options': z.literal('nosniff'),
    'X-Frame-Options': z.enum(['deny', 'sameorigin']),
    'X-XSS-Protection': headerValue,
  })
  .partial();

/** With a higher cost than 18, one password takes more than half a minute, and others wait for it. */
const bcryptHash = z.string().regex(/^\$2[aby]\$(?:0[4-9]|1[0-8])\$[./A-Za-z0-9]{53}$/, {
  error: 'is not a bcrypt hash with a cost from 4 to 18',
});

/** The schema of the file. */
export const webConfigSchema = z
  .strictObject({
    tls_server_config: tlsServerConfig.nullable(),
    http_server_config: z
      .strictObject({
        http2: z.boolean().refine((isOn) => !isOn, {
          error: 'HTTP/2 is not served: write false, or remove the key',
        }),
        headers: headers.nullable(),
      })
      .partial()
      .nullable(),
    basic_auth_users: z.record(z.string(), bcryptHash).nullable(),
    rate_limit: z
      .strictObject({ interval: goDuration, burst: z.int().min(0) })
      .partial()
      .nullable(),
  })
  .partial()
  .nullable();

export type WebConfigInput = NonNullable<z.output<typeof webConfigSchema>>;
export type TlsServerConfig = NonNullable<WebConfigInput['tls_server_config']>;
