/** Loads a web configuration file, with the certificates that it names. */
import { X509Certificate, constants, createPrivateKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DEFAULT_CIPHERS, createSecureContext, type SecureContextOptions } from 'node:tls';
import { messageOf } from '../model/errors.ts';
import { parseYaml, readText } from '../validation/read.ts';
import { ciphers, curves, tls13Ciphers, versions } from './go-names.ts';
import {
  clientAuthOf,
  isGiven,
  webConfigSchema,
  type TlsServerConfig,
  type WebConfigInput,
} from './schema.ts';
import type { TlsConfig, WebConfig } from './web-config.ts';

const pemKeys = ['cert', 'key', 'client_ca'] as const;
type PemKey = (typeof pemKeys)[number];

/** A text in PEM, and where it comes from. */
interface Pem {
  /** The key of the configuration that has it or names its file. */
  readonly at: PemKey | `${PemKey}_file`;
  /** An error if its file cannot be read. */
  readonly text: string | Error;
}

/** The text of the file, and the texts of the files that it names. */
export interface WebConfigSources {
  readonly file: string;
  readonly text: string;
  readonly pems: Readonly<Partial<Record<PemKey, Pem>>>;
}

/**
 * Reads the file and the files that it names. Their paths are relative to the file.
 *
 * @throws InvalidFileError with every problem of the file itself
 */
export async function readWebConfig(file: string): Promise<WebConfigSources> {
  const text = await readText(file);
  const tls = parseYaml(text, file, webConfigSchema)?.tls_server_config ?? {};
  const pems: Partial<Record<PemKey, Pem>> = {};
  for (const key of pemKeys) {
    const path = tls[`${key}_file`];
    const inline = tls[key];
    if (isGiven(path)) {
      pems[key] = { at: `${key}_file`, text: await readPem(resolve(dirname(file), path)) };
    } else if (isGiven(inline)) {
      pems[key] = { at: key, text: inline };
    }
  }
  return { file, text, pems };
}

async function readPem(path: string): Promise<string | Error> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/**
 * Checks everything that was read.
 *
 * @throws InvalidFileError with every problem, also of the certificates; at the keys that name them
 */
export function parseWebConfig({ file, text, pems }: WebConfigSources): WebConfig {
  const schema = webConfigSchema.superRefine((input, context) => {
    const tls = input?.tls_server_config;
    if (!isTlsOn(tls)) return;
    for (const { at, message } of tlsProblems(tls, pems)) {
      const path = ['tls_server_config', ...(at === null ? [] : [at])];
      context.addIssue({ code: 'custom', path, message });
    }
  });
  return fromInput(parseYaml(text, file, schema, webConfigSchema) ?? {}, pems);
}

/**
 * Reads and checks the file.
 *
 * @throws InvalidFileError with every problem
 */
export async function loadWebConfig(file: string): Promise<WebConfig> {
  return parseWebConfig(await readWebConfig(file));
}

function isTlsOn(tls: WebConfigInput['tls_server_config']): tls is TlsServerConfig {
  return tls !== undefined && tls !== null && Object.keys(tls).length > 0;
}

interface TlsProblem {
  readonly at: Pem['at'] | null;
  readonly message: string;
}

function tlsProblems(tls: TlsServerConfig, pems: WebConfigSources['pems']): TlsProblem[] {
  const problems: TlsProblem[] = [];
  const attempt = <T>(pem: Pem | undefined, what: string, read: (text: string) => T): T | null => {
    if (pem === undefined) return null;
    const { at, text } = pem;
    if (text instanceof Error) {
      problems.push({ at, message: `the file cannot be read: ${text.message}` });
      return null;
    }
    try {
      return read(text);
    } catch {
      problems.push({ at, message: `is not ${what}` });
      return null;
    }
  };
  const toCertificate = (text: string) => new X509Certificate(text);
  const cert = attempt(pems.cert, 'a certificate in PEM', toCertificate);
  const key = attempt<KeyObject>(pems.key, 'a private key in PEM without passphrase', (text) =>
    createPrivateKey(text),
  );
  attempt(pems.client_ca, 'a certificate in PEM', toCertificate);
  if (cert !== null && key !== null && !cert.checkPrivateKey(key)) {
    problems.push({ at: pems.key?.at ?? null, message: 'is not the key of the certificate' });
  }
  if (problems.length > 0) return problems;
  try {
    createSecureContext(contextOptions(tls, pems));
  } catch (error) {
    problems.push({ at: null, message: `cannot be used: ${messageOf(error)}` });
  }
  return problems;
}

function fromInput(input: WebConfigInput, pems: WebConfigSources['pems']): WebConfig {
  const { basic_auth_users: users, rate_limit: limit, tls_server_config: tls } = input;
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(input.http_server_config?.headers ?? {})) {
    if (isGiven(value)) headers.set(name, value);
  }
  const intervalMs = limit?.interval ?? 0;
  return {
    tls: isTlsOn(tls) ? tlsConfig(tls, pems) : null,
    headers,
    users: new Map(Object.entries(users ?? {})),
    rateLimit: intervalMs === 0 ? null : { intervalMs, burst: limit?.burst ?? 0 },
  };
}

function tlsConfig(tls: TlsServerConfig, pems: WebConfigSources['pems']): TlsConfig {
  return {
    context: contextOptions(tls, pems),
    clientAuth: clientAuthOf(tls),
    allowedSans: tls.client_allowed_sans ?? null,
  };
}

function contextOptions(
  tls: TlsServerConfig,
  pems: WebConfigSources['pems'],
): SecureContextOptions {
  const { cipher_suites: suites = [], curve_preferences: curveNames = [] } = tls;
  const verifies = clientAuthOf(tls).includes('Verify');
  const clientCa = textOf(pems.client_ca);
  return {
    cert: textOf(pems.cert) ?? '',
    key: textOf(pems.key) ?? '',
    // Without a list, Node.js would load the authorities that it trusts.
    ...(clientCa !== null ? { ca: clientCa } : !verifies && { ca: [] }),
    minVersion: versions[tls.min_version ?? 'TLS12'],
    maxVersion: versions[tls.max_version ?? 'TLS13'],
    ciphers: cipherList(suites, tls.min_version),
    honorCipherOrder: tls.prefer_server_cipher_suites ?? true,
    ...(curveNames.length > 0 && { ecdhCurve: curveNames.map((name) => curves[name]).join(':') }),
    // A client could let the server compute one handshake after the other. Go does not renegotiate either.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

function textOf(pem: Pem | undefined): string | null {
  return pem === undefined || pem.text instanceof Error ? null : pem.text;
}

/**
 * As in Go, a list that names no cipher of TLS 1.3 leaves all of them on. OpenSSL would switch TLS 1.3 off.
 * OpenSSL allows versions before TLS 1.2 only at its lowest level of security.
 */
function cipherList(
  suites: readonly (keyof typeof ciphers)[],
  minVersion: TlsServerConfig['min_version'],
): string {
  const named = suites.map((name) => ciphers[name]);
  const missing = named.some((name) => name.startsWith('TLS_')) ? [] : tls13Ciphers;
  const list = named.length === 0 ? [DEFAULT_CIPHERS] : [...missing, ...named];
  const isOld = minVersion === 'TLS10' || minVersion === 'TLS11';
  return [...list, ...(isOld ? ['@SECLEVEL=0'] : [])].join(':');
}
