/** The answers of the server. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

export interface Answer {
  readonly status: number;
  /** Besides those that every answer has. */
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Buffer;
}

export function textAnswer(
  status: number,
  body: string,
  headers: OutgoingHttpHeaders = {},
): Answer {
  return { status, body, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers } };
}

/** @param members of a JSON object, as text */
export function jsonAnswer(members: readonly string[], status = 200): Answer {
  const headers = { 'Content-Type': 'application/json' };
  return { status, headers, body: `{${members.join(',')}}` };
}

export const notFound = textAnswer(404, 'not found\n');
export const internalError = textAnswer(500, 'internal error; the log says more\n');

/** Node.js leaves out the body for HEAD. */
export function send(response: ServerResponse, { body, headers, status }: Answer): void {
  response
    .writeHead(status, {
      'Content-Length': Buffer.byteLength(body),
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      ...headers,
    })
    .end(body);
}
