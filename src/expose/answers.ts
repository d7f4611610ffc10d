/** Code for all answers of the server. */
import type { ServerResponse } from 'node:http';

/** Headers of every answer. */
export const commonHeaders = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };
export const textHeaders = { 'Content-Type': 'text/plain; charset=utf-8' };

export const notAllowedText = 'method not allowed\n';
export const internalErrorText = 'internal error; the log says more\n';

/** Receives the error of an answer. It is a bug of this program, so its stack is logged. */
export type FailureListener = (error: unknown, path: string) => void;

/** Answers with the headers of every answer and further ones. A text is plain text, unless they say otherwise. */
export function answerWith(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  const length = { 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, Object.assign(length, textHeaders, commonHeaders, headers)).end(body);
}
