/** The answers to HTTP requests, as data. The server writes them to the socket. */
import type { OutgoingHttpHeaders } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** Node.js sends no body for HEAD. */
  readonly body: string | Buffer;
}

/** Adds the headers that every answer has. The answer's own headers win. */
export function withCommonHeaders({ body, headers, status }: Answer): Answer {
  const common = {
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  };
  return { status, headers: { ...common, ...headers }, body };
}

export function textAnswer(status: number, body: string, headers: OutgoingHttpHeaders = {}) {
  const type = { 'Content-Type': 'text/plain; charset=utf-8' };
  return withCommonHeaders({ status, headers: { ...type, ...headers }, body });
}

/** @param members the members of one JSON object, each as text such as `"quotas":[]` */
export function jsonAnswer(members: readonly string[], status = 200) {
  return textAnswer(status, `{${members.join(',')}}`, { 'Content-Type': 'application/json' });
}

export const notFound = textAnswer(404, 'not found\n');
export const internalError = textAnswer(500, 'internal error; the log says more\n');
