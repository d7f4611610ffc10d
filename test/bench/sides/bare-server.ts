/**
 * The least that a server on node:http can be: it sends the answer that another server gave, the same headers and
 * bytes. Argument: that one's URL, or none for a short text. Exits at SIGTERM, so that Node.js writes its compile cache.
 */
import { get, type OutgoingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { argument, serve } from './side.ts';

interface Answer {
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

const { url } = argument() as { url?: string };
const text = Buffer.from('hello\n');
const short = { headers: { 'Content-Type': 'text/plain', 'Content-Length': text.length } };
const { body, headers } = url === undefined ? { ...short, body: text } : await answerFrom(url);

process.once('SIGTERM', () => process.exit());
serve((_request, response) => {
  response.writeHead(200, headers).end(body);
});

/** Without the headers that node:http adds itself. */
function answerFrom(from: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(from, { headers: { 'Accept-Encoding': 'gzip' } }, (response) => {
      const { connection: _, date: _date, 'keep-alive': _keepAlive, ...rest } = response.headers;
      buffer(response).then((bytes) => {
        resolve({ headers: rest, body: bytes });
      }, reject);
    }).once('error', reject);
  });
}
