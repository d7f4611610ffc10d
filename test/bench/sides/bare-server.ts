/**
 * The least that a server on node:http can be: it sends the bytes that another server sent. Argument:
 * that one's URL, or none for a short text. Exits at SIGTERM, so that Node.js writes its compile cache.
 */
import { get } from 'node:http';
import { argument, serve } from './side.ts';

const { url } = argument() as { url?: string };
const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' };
const body = url === undefined ? Buffer.from('hello\n') : await compressedBytes(url);
const encoding = url === undefined ? {} : { 'Content-Encoding': 'gzip' };

process.once('SIGTERM', () => process.exit());
serve((_request, response) => {
  response.writeHead(200, { ...headers, ...encoding, 'Content-Length': body.length }).end(body);
});

function compressedBytes(from: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(from, { headers: { 'Accept-Encoding': 'gzip' } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve(Buffer.concat(chunks));
      });
    }).once('error', reject);
  });
}
