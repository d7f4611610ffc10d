/** Clients of a server with the certificates of the exporter toolkit. */
import { readFileSync } from 'node:fs';
import { cp, rename, writeFile } from 'node:fs/promises';
import { request as requestHttp, type IncomingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';
import { dirname, join } from 'node:path';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from './directories.ts';

/** A file of the test data of the exporter toolkit of Prometheus (Apache-2.0). */
export function toolkitFile(name: string): string {
  return fileURLToPath(new URL(`./fixtures/exporter-toolkit/${name}`, import.meta.url));
}

export interface Client {
  /** Defaults to HTTPS. */
  readonly scheme?: 'http' | 'https';
  readonly tls?: ConnectionOptions;
  /** The name of a client certificate of the test data. */
  readonly certificate?: string;
  /** `user:password` */
  readonly login?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The name of the cipher; empty without TLS. */
  readonly cipher: string;
}

/** Sends a request to a port of localhost on a new connection. Rejects if the connection fails. */
export function ask(url: string, client: Client = {}): Promise<Received> {
  const { scheme = 'https', tls, certificate, login, path = '/', headers = {} } = client;
  const read = (name: string) => readFileSync(toolkitFile(name));
  const request = scheme === 'https' ? requestHttps : requestHttp;
  const options = {
    host: 'localhost',
    port: new URL(url).port,
    path,
    headers,
    agent: false,
    // OpenSSL refuses the authority of the test data: its extended usage is "any", not "server".
    rejectUnauthorized: false,
    ...(certificate !== undefined && {
      cert: read(`${certificate}.pem`),
      key: read(`${certificate}.key`),
    }),
    ...(login !== undefined && { auth: login }),
    ...tls,
  };
  return new Promise((resolve, reject) => {
    request(options, (response) => {
      const cipher = scheme === 'https' ? (response.socket as TLSSocket).getCipher().name : '';
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.once('error', reject).once('end', () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body, cipher });
      });
    })
      .once('error', reject)
      .end();
  });
}

/** Writes a web configuration beside copies of the test data. Returns its file. */
export async function webConfigFile(text: string): Promise<string> {
  const directory = await temporaryDirectory();
  await cp(dirname(toolkitFile('LICENSE')), directory, { recursive: true });
  const file = join(directory, 'web.yml');
  await writeFile(file, text);
  return file;
}

/** Replaces a file in one step. */
export async function replaceFile(file: string, content: string | Buffer): Promise<void> {
  await writeFile(`${file}.new`, content);
  await rename(`${file}.new`, file);
}
