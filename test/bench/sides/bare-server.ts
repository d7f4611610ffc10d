/**
 * Bare node:http or node:https that sends the bytes another server sent, from a Buffer. Argument: that
 * one's URL, further headers of the request for them, and the files of a certificate for HTTPS.
 */
import { readFileSync } from 'node:fs';
import { createServer, get, type RequestListener } from 'node:http';
import { createServer as createTlsServer, get as getTls } from 'node:https';
import { announce, argument } from './side.ts';

const {
  url,
  headers: asked = {},
  tls,
} = argument() as {
  url: string;
  headers?: Readonly<Record<string, string>>;
  tls?: { readonly cert: string; readonly key: string };
};
const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' };
const [plain, gzip] = await Promise.all([bytesOf('identity'), bytesOf('gzip')]);

function bytesOf(encoding: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { headers: { ...asked, 'Accept-Encoding': encoding } };
    const send = tls === undefined ? get : getTls;
    send(url, { ...options, rejectUnauthorized: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve(Buffer.concat(chunks));
      });
    }).once('error', reject);
  });
}

const answer: RequestListener = (request, response) => {
  if (request.headers['accept-encoding'] === 'gzip') {
    response.writeHead(200, {
      ...headers,
      'Content-Encoding': 'gzip',
      'Content-Length': gzip.length,
    });
    response.end(gzip);
  } else {
    response.writeHead(200, { ...headers, 'Content-Length': plain.length });
    response.end(plain);
  }
};

if (tls === undefined) announce(createServer(answer));
else {
  const certificate = { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
  announce(createTlsServer(certificate, answer), 'https');
}
