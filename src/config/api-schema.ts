/** The schema of `api` in the configuration: how requests are sent. */
import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { signatureMethods } from '../api/request.ts';
import { codeOf, messageOf } from '../model/errors.ts';
import { duration } from '../validation/duration.ts';
import { readRegularFile } from '../validation/regular-file.ts';
import { checkedText, filePath } from '../validation/text-schemas.ts';

const hostLabel = '[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?';
const baseUrl = new RegExp(
  `^https?://(\\[[0-9a-fA-F:]+\\]|${hostLabel}(\\.${hostLabel})*)(:\\d{1,5})?/?$`,
);

/** The mistake in a base URL, whose host may contain `{service}` and `{region}`. `null` when it is valid. */
function endpointProblem(text: string): string | null {
  const url = text.replaceAll(/\{(service|region)\}/g, '$1');
  if (/[{}]/.test(url)) {
    return 'the only placeholders are {service} and {region}, in exactly this form';
  }
  return baseUrl.test(url) && URL.canParse(url)
    ? null
    : 'expected http:// or https:// and a host, without a path; the host may contain {service} and {region}';
}

const endpoint = checkedText(endpointProblem).transform((text) => text.replace(/\/$/, ''));

/** The mistake in `proxy`. `null` when it is valid. No message contains the text: it may have a password. */
function proxyProblem(text: string): string | null {
  if (text === 'environment' || text === 'none') return null;
  if (text.includes('@')) {
    return 'this file must not contain secrets: put the URL with its user name and password into the environment variable HTTPS_PROXY, and write environment here';
  }
  return endpointProblem(text) === null && !text.includes('{')
    ? null
    : 'expected environment, none, or the URL of a proxy such as http://proxy.example.com:3128';
}

const proxy = checkedText(proxyProblem, 'expected environment, none, or the URL of a proxy');

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM file. Never rejects: a file without one, or with one that cannot be read, is an issue in `context`. */
async function certificatesIn(path: string, context: z.RefinementCtx): Promise<readonly string[]> {
  try {
    const certificates = (await readRegularFile(path, 'latin1')).match(certificateBlock) ?? [];
    // Throws for a certificate that cannot be read.
    for (const certificate of certificates) new X509Certificate(certificate);
    if (certificates.length > 0) return certificates;
    context.addIssue({ code: 'custom', message: 'the file has no certificate in PEM form' });
  } catch (error) {
    // The message quotes the path, which may be the text of a key instead.
    const message = `the file, or a certificate in it, cannot be read (${codeOf(error) ?? messageOf(error)})`;
    context.addIssue({ code: 'custom', message });
  }
  return z.NEVER;
}

const wholeNumber = (min: number, max: number) => z.int().min(min).max(max);

/** @param readsCaFile true: the file of `ca_file` is read, so the schema must be parsed asynchronously. False: no authorities */
export const apiSchema = (readsCaFile: boolean) =>
  z
    .strictObject({
      endpoint: endpoint
        .optional()
        .describe(
          'The base URL of the services. {service} and {region} are replaced, such as by cvm and ap-guangzhou. Default: that of the site of each account, `https://{service}.tencentcloudapi.com`.',
        ),
      sts_endpoint: endpoint
        .optional()
        .describe('The base URL of STS. Default: that of the site of each account.'),
      metadata_endpoint: endpoint
        .refine((url) => !url.includes('{'), { error: 'has no placeholders' })
        .prefault('http://metadata.tencentyun.com')
        .describe('The base URL of the metadata service, for credentials of the type cvm_role.'),
      ca_file: filePath
        .transform(readsCaFile ? certificatesIn : () => [])
        .optional()
        .describe(
          'A PEM file with authorities that are trusted besides the built-in ones. Read at the start and at each reload.',
        ),
      proxy: proxy
        .default('environment')
        .describe('The HTTP proxy for requests: `environment`, its URL, or `none`.'),
      signature: z
        .enum(signatureMethods)
        .default('tc3')
        .describe('How requests are signed: in headers (tc3) or in the query string (hmac-*).'),
      requests_per_second: wholeNumber(1, 20)
        .default(10)
        .describe(
          'The rate limit for each key, operation and host. The service allows 20, shared with the other tools of the account.',
        ),
      timeout: duration({ min: '10ms', max: '10m' })
        .prefault('10s')
        .describe('The maximum duration of one attempt.'),
      max_attempts: wholeNumber(1, 10)
        .default(4)
        .describe('The maximum number of attempts of a request before its poll fails.'),
    })
    .transform((api) => ({
      /** An origin; may contain `{service}` and `{region}`. `null` for that of the site of an account. */
      endpoint: api.endpoint ?? null,
      /** The origin of STS, also with placeholders. `null` for that of the site of an account. */
      stsEndpoint: api.sts_endpoint ?? null,
      metadataEndpoint: api.metadata_endpoint,
      /** The certificates of `ca_file`, in PEM. Empty without the key: then only the built-in ones are trusted. */
      authorities: api.ca_file ?? [],
      /** `environment`, `none`, or the URL of a proxy. */
      proxy: api.proxy,
      signature: api.signature,
      requestsPerSecond: api.requests_per_second,
      timeoutMs: api.timeout,
      maxAttempts: api.max_attempts,
    }));
