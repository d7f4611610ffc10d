/**
 * Bare node:http that sends the bytes another server sent, from a Buffer. Argument: that one's URL, and
 * further headers of the request for them.
 */
import { createServer, get } from 'node:http';
import { announce, argument } from './side.ts';

const { url, headers: asked = {} } = argument() as {
  url: string;
  headers?: Readonly<Record<string, string>>;
};
const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' };
const [plain, gzip] = await Promise.all([bytesOf('identity'), bytesOf('gzip')]);

function bytesOf(encoding: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { ...asked, 'Accept-Encoding': encoding } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve(Buffer.concat(chunks));
      });
    }).once('error', reject);
  });
}

announce(
  createServer((request, response) => {
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
  }),
);
